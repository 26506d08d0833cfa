/** The wire of a port in whose name a slash or a colon comes before the lane: `Ethernet1/49/2`, `ethernet1/1/1:2`. */
export const wireByName = (port: string): string => port.replace(':', '/');
