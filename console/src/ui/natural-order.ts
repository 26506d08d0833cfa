/** Names in pages have the order that they have on the command line. */
export { naturalOrder } from '@corral/client';
