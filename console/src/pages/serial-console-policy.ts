import { nonce } from '../nonce.ts';

/*
 * The terminal adds style elements and style attributes. The policy of the page lets in elements that have its nonce,
 * and no attributes; the same through the element's `style` object is allowed. So while a terminal is there, elements
 * are made in a way that the policy allows. The terminal's own option for this does not reach all that it makes.
 */

type MakeElement = (this: Document, name: string, options?: ElementCreationOptions) => HTMLElement;
const { createElement: usual } = Document.prototype as { readonly createElement: MakeElement };

/** Returns how to go back to how elements are usually made. */
export const makeElementsWithinPolicy = (): (() => void) => {
  const make: MakeElement = (name, options) => {
    const element = usual.call(document, name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    else if (element instanceof HTMLSpanElement) element.setAttribute = setAttributeWithinPolicy;
    return element;
  };
  Object.defineProperty(document, 'createElement', { value: make, configurable: true, writable: true });
  return () => void Reflect.deleteProperty(document, 'createElement');
};

function setAttributeWithinPolicy(this: HTMLElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
