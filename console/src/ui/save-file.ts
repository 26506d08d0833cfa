/** Gives something to the person as a file of JSON. */
export const saveJson = (name: string, value: unknown): void =>
  saveFile(`${name}.json`, 'application/json', `${JSON.stringify(value, null, 2)}\n`);

/** Gives a text to the person as a file; what a file name cannot have becomes a dash. */
export const saveFile = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replace(/[^\w.-]+/g, '-');
  link.click();
  // The browser reads it after this returns.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
