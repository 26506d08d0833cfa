/** How a connection is made under a name that counts: by it our programs know each other. One in the URL would win. */
export const connectionAs = (
  name: string,
  url: string,
): { readonly connectionString: string; readonly application_name: string } => {
  const bare = new URL(url);
  if (!bare.searchParams.has('application_name')) return { connectionString: url, application_name: name };
  bare.searchParams.delete('application_name');
  return { connectionString: bare.href, application_name: name };
};
