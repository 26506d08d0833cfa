import ts from 'typescript';

/**
 * Does this source read the environment, or could it? Every use of `process` counts, other than `process.<name>` with
 * another name, so that neither `process['env']` nor `const { env } = process` gets past.
 */
export const readsEnvironment = (text: string): boolean => {
  if (!text.includes('process')) return false;
  const source = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): boolean =>
    isReading(node) || (ts.forEachChild(node, (child) => visit(child) || undefined) ?? false);
  return visit(source);
};

const isReading = (node: ts.Node): boolean => {
  if (ts.isStringLiteral(node)) return ts.isImportDeclaration(node.parent) && /^(node:)?process$/.test(node.text);
  if (!ts.isIdentifier(node) || node.text !== 'process') return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) {
    if (parent.expression === node) return parent.name.text === 'env';
    return ts.isIdentifier(parent.expression) && ['globalThis', 'global'].includes(parent.expression.text);
  }
  // The name of something else: a member, a variable, a parameter.
  const isName = 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
  return !isName;
};
