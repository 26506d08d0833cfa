// Mutations of one file by rules: conditions negated, operators exchanged, statements that await or throw left out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const exchanged = new Map([
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '>='],
  [ts.SyntaxKind.LessThanEqualsToken, '>'],
  [ts.SyntaxKind.GreaterThanToken, '<='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '<'],
]);

/** What can be changed at one node: the part of the source to replace, with what, and what that does. */
const changesOf = (node) => {
  if (ts.isIfStatement(node)) {
    return [
      { part: node.expression, replacement: 'true', what: 'always taken' },
      { part: node.expression, replacement: 'false', what: 'never taken' },
    ];
  }
  if (ts.isBinaryExpression(node) && exchanged.has(node.operatorToken.kind)) {
    const operator = exchanged.get(node.operatorToken.kind);
    return [{ part: node.operatorToken, replacement: operator, what: `becomes ${operator}` }];
  }
  if (ts.isConditionalExpression(node)) {
    const [whole, yes, no] = [node, node.whenTrue, node.whenFalse];
    return [yes, no].map((kept) => ({ part: whole, replacement: kept.getText(), what: `always ${kept.getText()}` }));
  }
  if (ts.isThrowStatement(node)) return [{ part: node, replacement: ';', what: 'left out' }];
  if (ts.isExpressionStatement(node)) return [{ part: node, replacement: ';', what: 'left out' }];
  return [];
};

/** In the order of the file. `at` says where, because the same text may occur twice. */
export const generateMutations = (root, file, tests) => {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    for (const { part, replacement, what } of changesOf(node)) {
      const at = part.getStart();
      const text = part.getText();
      const { line } = source.getLineAndCharacterOfPosition(at);
      const shown = node.getText().replaceAll(/\s+/g, ' ').slice(0, 80);
      found.push({ file, at, text, replacement, tests, breaks: `line ${line + 1}: ${shown} → ${what}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};
