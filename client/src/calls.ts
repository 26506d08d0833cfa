// Made from the service's list of calls by `npm run generate`; a test compares. Do not edit.

/** Of a call that takes none. */
export type NoArguments = Readonly<Record<string, never>>;

/** What every call takes and answers. */
export interface Calls {
  /** List networks: an administrator sees all, everyone else the public ones. Who may: Admin for all, everybody for public ones. `GET /networks` */
  listNetworks: {
    args: NoArguments;
    reply: Readonly<Record<string, { readonly network_id: string; readonly projects: readonly string[] | null }>>;
  };
  /** Show a network. Who may: Everybody for a public network; otherwise a project in its access list, or Admin. `GET /network/:network` */
  showNetwork: {
    args: { readonly network: string };
    reply: {
      readonly name: string;
      readonly channels: readonly string[];
      readonly owner: string;
      readonly access: readonly string[] | null;
      readonly 'connected-nodes': Readonly<Record<string, readonly string[]>>;
    };
  };
  /** Create a network. Who may: Project access if owner and access are that project and net_id is empty; otherwise Admin. `PUT /network/:network` */
  networkCreate: {
    args: {
      readonly network: string;
      readonly owner: string;
      readonly access: string;
      readonly net_id: string;
      readonly force?: boolean;
    };
    reply: undefined;
  };
  /** Delete a network that nothing is connected to. Who may: Project access to the owner, or Admin. `DELETE /network/:network` */
  networkDelete: { args: { readonly network: string }; reply: undefined };
  /** List the nodes on a network. Who may: Admin or the owner sees all; other projects see their own nodes. `GET /network/:network/attachments` */
  listNetworkAttachments: {
    args: { readonly network: string; readonly project?: string };
    reply: Readonly<
      Record<
        string,
        {
          readonly nic: string;
          readonly channel: string;
          readonly project: string | null;
          readonly attachments: readonly { readonly nic: string; readonly channel: string }[];
        }
      >
    >;
  };
  /** Add a project to a network's access list. Who may: Admin, or the owner of the network. `PUT /network/:network/access/:project` */
  networkGrantProjectAccess: { args: { readonly network: string; readonly project: string }; reply: undefined };
  /** Remove a project from a network's access list. Who may: Admin, the owner of the network, or the project itself. `DELETE /network/:network/access/:project` */
  networkRevokeProjectAccess: { args: { readonly network: string; readonly project: string }; reply: undefined };
  /** Show the status of a queued network change. Who may: Project access to the node's project, or Admin. `GET /networking_action/:status_id` */
  showNetworkingAction: {
    args: { readonly status_id: string };
    reply: {
      readonly status: 'PENDING' | 'DONE' | 'ERROR';
      readonly type: 'modify_port' | 'revert_port';
      readonly new_network: string | null;
      readonly channel: string;
      readonly node: string;
      readonly nic: string;
      readonly error: string | null;
      readonly queue?: {
        readonly ahead: number;
        readonly attempts: number;
        readonly switch_answers: boolean;
        readonly switch?: string;
        readonly port?: string;
      };
    };
  };
  /** List all nodes, or the free ones. Who may: Everybody. `GET /nodes/:is_free` */
  listNodes: { args: { readonly is_free: 'all' | 'free' }; reply: readonly string[] };
  /** Show a node. Who may: Everybody for a free node; otherwise Project access to the node's project; Admin sees ports too. `GET /node/:node` */
  showNode: {
    args: { readonly node: string };
    reply: {
      readonly name: string;
      readonly project: string | null;
      readonly nics: readonly {
        readonly label: string;
        readonly macaddr: string;
        readonly networks: Readonly<Record<string, string>>;
        readonly port?: string | null;
        readonly switch?: string | null;
      }[];
      readonly metadata: Readonly<Record<string, unknown>>;
    };
  };
  /** Register a node; without `obmd`, with the OBM daemon inside the service. Who may: Admin. `PUT /node/:node` */
  nodeRegister: {
    args: {
      readonly node: string;
      readonly obmd?: { readonly uri: string; readonly admin_token: string };
      readonly metadata?: Readonly<Record<string, unknown>>;
    };
    reply: undefined;
  };
  /** Delete a free node without nics; its BMC too, if its OBM daemon is inside the service. Who may: Admin. `DELETE /node/:node` */
  nodeDelete: { args: { readonly node: string }; reply: undefined };
  /** Add a nic to a node. Who may: Admin. `PUT /node/:node/nic/:nic` */
  nodeRegisterNic: {
    args: { readonly node: string; readonly nic: string; readonly macaddr: string };
    reply: undefined;
  };
  /** Remove a nic from a node. Who may: Admin. `DELETE /node/:node/nic/:nic` */
  nodeDeleteNic: { args: { readonly node: string; readonly nic: string }; reply: undefined };
  /** Queue the attachment of a network to a nic. Who may: Project access to the node's project, or Admin. `POST /node/:node/nic/:nic/connect_network` */
  nodeConnectNetwork: {
    args: { readonly node: string; readonly nic: string; readonly network: string; readonly channel?: string };
    reply: { readonly status_id: string };
  };
  /** Queue the detachment of a network from a nic. Who may: Project access to the node's project, or Admin. `POST /node/:node/nic/:nic/detach_network` */
  nodeDetachNetwork: {
    args: { readonly node: string; readonly nic: string; readonly network: string };
    reply: { readonly status_id: string };
  };
  /** Set one of a node's metadata. Who may: Admin. `PUT /node/:node/metadata/:label` */
  nodeSetMetadata: {
    args: { readonly node: string; readonly label: string; readonly value: unknown };
    reply: undefined;
  };
  /** Delete one of a node's metadata. Who may: Admin. `DELETE /node/:node/metadata/:label` */
  nodeDeleteMetadata: { args: { readonly node: string; readonly label: string }; reply: undefined };
  /** Enable or disable out-of-band management of a node. Who may: Project access to the node's project; Admin for a free node. `PUT /node/:node/obm` */
  nodeSetObm: { args: { readonly node: string; readonly enabled: boolean }; reply: undefined };
  /** Show the address of the OBM daemon of a node, and whether it is the one inside the service. Who may: Admin. `GET /node/:node/obmd` */
  showObmd: { args: { readonly node: string }; reply: { readonly uri: string; readonly inside: boolean } };
  /** Set the address of the OBM daemon of a node. Who may: Admin. `PUT /node/:node/obmd` */
  nodeSetObmd: {
    args: { readonly node: string; readonly uri: string; readonly admin_token: string };
    reply: undefined;
  };
  /** Power a node on. Who may: Project access to the node's project; Admin for a free node. `POST /node/:node/power_on` */
  nodePowerOn: { args: { readonly node: string }; reply: undefined };
  /** Power a node off. Who may: Project access to the node's project; Admin for a free node. `POST /node/:node/power_off` */
  nodePowerOff: { args: { readonly node: string }; reply: undefined };
  /** Restart a node and boot it from the network. Who may: Project access to the node's project; Admin for a free node. `POST /node/:node/power_cycle` */
  nodePowerCycle: { args: { readonly node: string; readonly force?: boolean }; reply: undefined };
  /** Show whether a node is on or off. Who may: Project access to the node's project; Admin for a free node. `GET /node/:node/power_status` */
  nodePowerStatus: { args: { readonly node: string }; reply: { readonly power_status: string } };
  /** Set a node's next boot device. Who may: Project access to the node's project; Admin for a free node. `PUT /node/:node/boot_device` */
  nodeSetBootdev: { args: { readonly node: string; readonly bootdev: string }; reply: undefined };
  /** Stream a node's serial console, with input over a WebSocket; a new client disconnects the previous one. Who may: Project access to the node's project; Admin for a free node. `GET /node/:node/console` */
  showConsole: { args: { readonly node: string }; reply: AsyncIterable<Uint8Array> };
  /** Show who has a node's serial console open, without taking it over. Who may: Project access to the node's project; Admin for a free node. `GET /node/:node/console/client` */
  showConsoleClient: {
    args: { readonly node: string };
    reply: { readonly client: { readonly caller: string | null; readonly since: string | null } | null };
  };
  /** List the kinds of BMC and the fields of each as JSON Schema; `inside` tells whether an OBM daemon runs inside the service. Who may: Admin. `GET /bmc_types` */
  listBmcTypes: {
    args: NoArguments;
    reply: { readonly inside: boolean; readonly types: Readonly<Record<string, { readonly fields: unknown }>> };
  };
  /** List all nodes with their OBM daemons and the BMCs that are registered there, without secrets; `unread` has the daemons that do not answer, with the reason. Who may: Admin. `GET /bmcs` */
  listBmcs: {
    args: NoArguments;
    reply: {
      readonly bmcs: readonly {
        readonly node: string;
        readonly uri: string;
        readonly inside: boolean;
        readonly bmc: { readonly type: string; readonly info: Readonly<Record<string, unknown>> } | null;
      }[];
      readonly unread: Readonly<Record<string, string>>;
    };
  };
  /** Show the BMC that is registered for a node with its OBM daemon, without secrets. Who may: Admin. `GET /node/:node/bmc` */
  showBmc: {
    args: { readonly node: string };
    reply: { readonly type: string; readonly info: Readonly<Record<string, unknown>> };
  };
  /** Register the BMC of a node with its OBM daemon, also again; OBM of the node must be disabled. Who may: Admin. `PUT /node/:node/bmc` */
  bmcRegister: {
    args: { readonly node: string; readonly type: string; readonly info: Readonly<Record<string, unknown>> };
    reply: undefined;
  };
  /** Delete the BMC of a node from its OBM daemon; OBM of the node must be disabled. Who may: Admin. `DELETE /node/:node/bmc` */
  bmcDelete: { args: { readonly node: string }; reply: undefined };
  /** Log in to the BMC of a node: what answers, with which privileges, and how long it took. Who may: Admin. `POST /node/:node/bmc/test` */
  bmcTest: {
    args: { readonly node: string };
    reply: { readonly answered: string; readonly privileges: string; readonly seconds: number };
  };
  /** List the cleanings of nodes that left a project, newest first. Who may: Admin. `GET /cleanings` */
  listCleanings: {
    args: {
      readonly after?: string;
      readonly limit?: string;
      readonly state?: 'running' | 'maintenance' | 'passed' | 'failed';
      readonly node?: string;
    };
    reply: {
      readonly cleanings: readonly {
        readonly cleaning: string;
        readonly node: string;
        readonly project: string | null;
        readonly state: 'running' | 'maintenance' | 'passed' | 'failed';
        readonly reason: string | null;
        readonly step: string | null;
        readonly created_at: string;
        readonly ended_at: string | null;
      }[];
      readonly next: string | null;
      readonly enabled: boolean;
    };
  };
  /** Show a cleaning and its steps. Who may: Admin. `GET /cleaning/:cleaning` */
  showCleaning: {
    args: { readonly cleaning: string };
    reply: {
      readonly cleaning: string;
      readonly node: string;
      readonly project: string | null;
      readonly state: 'running' | 'maintenance' | 'passed' | 'failed';
      readonly reason: string | null;
      readonly step: string | null;
      readonly created_at: string;
      readonly ended_at: string | null;
      readonly steps: readonly {
        readonly name: string;
        readonly kind: string;
        readonly state: string;
        readonly attempts: number;
        readonly sentence: string | null;
        readonly evidence: string | null;
        readonly started_at: string | null;
        readonly deadline_at: string | null;
        readonly ended_at: string | null;
      }[];
    };
  };
  /** Clean a quarantined node again, from the first step on. Who may: Admin. `POST /cleaning/:cleaning/retry` */
  cleaningRetry: { args: { readonly cleaning: string }; reply: undefined };
  /** Leave out a step of a cleaning; a reading of ports cannot be left out. Who may: Admin. `POST /cleaning/:cleaning/skip` */
  cleaningSkip: {
    args: { readonly cleaning: string; readonly step: string; readonly reason: string };
    reply: undefined;
  };
  /** Report the result of a step that a webhook was asked to do, or that a node booted for, once, with its token. Who may: The holder of the token for the step. `POST /cleaning/:cleaning/result` */
  cleaningResult: {
    args: {
      readonly cleaning: string;
      readonly step: string;
      readonly token: string;
      readonly outcome: 'clean' | 'failed';
      readonly evidence?: string;
    };
    reply: undefined;
  };
  /** Take a node that is in no project, or is being cleaned, out of service. Who may: Admin. `POST /node/:node/quarantine` */
  nodeQuarantine: { args: { readonly node: string; readonly reason: string }; reply: { readonly cleaning: string } };
  /** List all projects. Who may: Admin. `GET /projects` */
  listProjects: { args: NoArguments; reply: readonly string[] };
  /** Create a project. Who may: Admin. `PUT /project/:project` */
  projectCreate: { args: { readonly project: string }; reply: undefined };
  /** Delete a project that has no nodes, networks or headnodes. Who may: Admin. `DELETE /project/:project` */
  projectDelete: { args: { readonly project: string }; reply: undefined };
  /** Reserve a free node for a project. Who may: Project access, or Admin. `POST /project/:project/connect_node` */
  projectConnectNode: {
    args: { readonly project: string; readonly node: string; readonly force?: boolean };
    reply: undefined;
  };
  /** Release a node. Who may: Project access, or Admin. `POST /project/:project/detach_node` */
  projectDetachNode: { args: { readonly project: string; readonly node: string }; reply: undefined };
  /** List a project's nodes. Who may: Project access, or Admin. `GET /project/:project/nodes` */
  listProjectNodes: { args: { readonly project: string }; reply: readonly string[] };
  /** List the networks a project owns or has been given access to. Who may: Project access, or Admin. `GET /project/:project/networks` */
  listProjectNetworks: { args: { readonly project: string }; reply: readonly string[] };
  /** List a project's headnodes. Who may: Project access, or Admin. `GET /project/:project/headnodes` */
  listProjectHeadnodes: { args: { readonly project: string }; reply: readonly string[] };
  /** Reserve free nodes by what they are, all or none; with `wait`, queue for them (202). Who may: Project access, or Admin. `POST /project/:project/claim` */
  projectClaim: {
    args: {
      readonly project: string;
      readonly count: number;
      readonly match?: {
        readonly metadata?: Readonly<
          Record<
            string,
            {
              readonly equals?: string | number | boolean;
              readonly not_equals?: string | number | boolean;
              readonly one_of?: readonly (string | number | boolean)[];
              readonly at_least?: number;
              readonly at_most?: number;
              readonly more_than?: number;
              readonly less_than?: number;
              readonly present?: boolean;
            }
          >
        >;
        readonly nics?: { readonly at_least: number };
        readonly switch?: string;
      };
      readonly prefer?: { readonly spread: string } | { readonly pack: string };
      readonly wait?: boolean | { readonly until: string };
    };
    reply: {
      readonly state: 'served' | 'waiting';
      readonly nodes: readonly string[];
      readonly claim: string | null;
      readonly place: number | null;
    };
  };
  /** Count the free nodes that fit a claim, and list those that it would reserve. Who may: Project access, or Admin. `POST /project/:project/claim/preview` */
  projectClaimPreview: {
    args: {
      readonly project: string;
      readonly count: number;
      readonly match?: {
        readonly metadata?: Readonly<
          Record<
            string,
            {
              readonly equals?: string | number | boolean;
              readonly not_equals?: string | number | boolean;
              readonly one_of?: readonly (string | number | boolean)[];
              readonly at_least?: number;
              readonly at_most?: number;
              readonly more_than?: number;
              readonly less_than?: number;
              readonly present?: boolean;
            }
          >
        >;
        readonly nics?: { readonly at_least: number };
        readonly switch?: string;
      };
      readonly prefer?: { readonly spread: string } | { readonly pack: string };
    };
    reply: { readonly fit: number; readonly nodes: readonly string[]; readonly refusal: string | null };
  };
  /** List a project's claims that wait, and those that ended lately. Who may: Project access, or Admin. `GET /project/:project/claims` */
  listProjectClaims: {
    args: { readonly project: string };
    reply: readonly {
      readonly claim: string;
      readonly project: string;
      readonly state: 'waiting' | 'served' | 'cancelled' | 'expired' | 'ended';
      readonly user: string;
      readonly count: number;
      readonly match: {
        readonly metadata?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
        readonly nics?: { readonly at_least: number };
        readonly switch?: string;
      };
      readonly prefer: { readonly spread?: string; readonly pack?: string } | null;
      readonly place: number | null;
      readonly nodes: readonly string[];
      readonly reason: string | null;
      readonly made_at: string;
      readonly until: string;
      readonly ended_at: string | null;
    }[];
  };
  /** Show a claim that waits, or did. Who may: Project access to the claim's project, or Admin. `GET /claim/:claim` */
  showClaim: {
    args: { readonly claim: string };
    reply: {
      readonly claim: string;
      readonly project: string;
      readonly state: 'waiting' | 'served' | 'cancelled' | 'expired' | 'ended';
      readonly user: string;
      readonly count: number;
      readonly match: {
        readonly metadata?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
        readonly nics?: { readonly at_least: number };
        readonly switch?: string;
      };
      readonly prefer: { readonly spread?: string; readonly pack?: string } | null;
      readonly place: number | null;
      readonly nodes: readonly string[];
      readonly reason: string | null;
      readonly made_at: string;
      readonly until: string;
      readonly ended_at: string | null;
    };
  };
  /** Cancel a claim that waits. Who may: Project access to the claim's project, or Admin. `DELETE /claim/:claim` */
  claimCancel: { args: { readonly claim: string }; reply: undefined };
  /** Give nodes back: detach their networks, disable OBM and take them out of the project. Who may: Project access, or Admin. `POST /project/:project/release` */
  projectReleaseNodes: {
    args: { readonly project: string; readonly nodes: readonly string[]; readonly for_repair?: string };
    reply: { readonly releases: readonly { readonly node: string; readonly release: string }[] };
  };
  /** Show how far the release of a node is. Who may: Project access, or Admin. `GET /release/:release` */
  showRelease: {
    args: { readonly release: string };
    reply: {
      readonly release: string;
      readonly node: string;
      readonly project: string;
      readonly caller: string;
      readonly state: 'running' | 'done' | 'failed';
      readonly step: 'networks' | 'obm' | 'project';
      readonly detaches: readonly { readonly nic: string; readonly network: string; readonly status_id: string }[];
      readonly problem: string | null;
      readonly attempts: number;
      readonly for_repair: string | null;
      readonly started_at: string;
      readonly ended_at: string | null;
    };
  };
  /** List releases of a project's nodes: those that are running, and those that ended within a week. Who may: Project access, or Admin. `GET /project/:project/releases` */
  listProjectReleases: {
    args: { readonly project: string };
    reply: readonly {
      readonly release: string;
      readonly node: string;
      readonly project: string;
      readonly caller: string;
      readonly state: 'running' | 'done' | 'failed';
      readonly step: 'networks' | 'obm' | 'project';
      readonly detaches: readonly { readonly nic: string; readonly network: string; readonly status_id: string }[];
      readonly problem: string | null;
      readonly attempts: number;
      readonly for_repair: string | null;
      readonly started_at: string;
      readonly ended_at: string | null;
    }[];
  };
  /** List all quotas; those without a project are for every project that has none of its own. Who may: Admin. `GET /quotas` */
  listQuotas: {
    args: NoArguments;
    reply: readonly {
      readonly project: string | null;
      readonly what: 'nodes' | 'networks' | 'headnodes';
      readonly class: string | null;
      readonly limit: number | null;
    }[];
  };
  /** List what a project is limited to, and how much of it is used; a limit of null is none. Who may: Project access, or Admin. `GET /project/:project/quotas` */
  listProjectQuotas: {
    args: { readonly project: string };
    reply: readonly {
      readonly what: 'nodes' | 'networks' | 'headnodes';
      readonly class: string | null;
      readonly limit: number | null;
      readonly used: number;
    }[];
  };
  /** Limit how much a project, or every project, may have. Who may: Admin. `PUT /quota/:what` */
  quotaSet: {
    args: {
      readonly what: 'nodes' | 'networks' | 'headnodes';
      readonly project?: string;
      readonly class?: string;
      readonly limit: number | null;
    };
    reply: undefined;
  };
  /** Delete a quota. Who may: Admin. `DELETE /quota/:what` */
  quotaDelete: {
    args: { readonly what: 'nodes' | 'networks' | 'headnodes'; readonly project?: string; readonly class?: string };
    reply: undefined;
  };
  /** Add up for how long nodes were reserved and turned on. Who may: Admin sees all, others their own projects. `GET /usage` */
  listUsage: {
    args: {
      readonly from?: string;
      readonly to?: string;
      readonly by?: string;
      readonly limit?: string;
      readonly after?: string;
    };
    reply: {
      readonly from: string;
      readonly to: string;
      readonly rows: readonly {
        readonly project?: string;
        readonly project_id?: number;
        readonly class?: string | null;
        readonly node?: string;
        readonly month?: string;
        readonly reserved_seconds: number;
        readonly powered_seconds: number;
      }[];
      readonly next: number | null;
    };
  };
  /** List the images for headnodes. Who may: Any authenticated caller. `GET /headnode_images/` */
  listHeadnodeImages: { args: NoArguments; reply: readonly string[] };
  /** Show a headnode. Who may: Project access to the owning project, or Admin. `GET /headnode/:headnode` */
  showHeadnode: {
    args: { readonly headnode: string };
    reply: {
      readonly name: string;
      readonly project: string;
      readonly hnics: readonly string[];
      readonly nics: readonly string[];
      readonly vncport: number | null;
      readonly uuid: string;
      readonly base_img: string;
    };
  };
  /** Create a headnode. Who may: Project access, or Admin. `PUT /headnode/:headnode` */
  headnodeCreate: {
    args: { readonly headnode: string; readonly project: string; readonly base_img: string; readonly force?: boolean };
    reply: undefined;
  };
  /** Delete a headnode and its hnics. Who may: Project access to the owning project, or Admin. `DELETE /headnode/:headnode` */
  headnodeDelete: { args: { readonly headnode: string }; reply: undefined };
  /** Start a headnode; from then on it cannot be changed. Who may: Project access to the owning project, or Admin. `POST /headnode/:headnode/start` */
  headnodeStart: { args: { readonly headnode: string }; reply: undefined };
  /** Force a headnode off. Who may: Project access to the owning project, or Admin. `POST /headnode/:headnode/stop` */
  headnodeStop: { args: { readonly headnode: string }; reply: undefined };
  /** Open a headnode's screen: a WebSocket tunnel to its VNC port. Who may: Project access to the owning project, or Admin. `GET /headnode/:headnode/vnc` */
  headnodeVnc: { args: { readonly headnode: string }; reply: AsyncIterable<Uint8Array> };
  /** Remove a machine without a recorded headnode from the hypervisor. Who may: Admin. `DELETE /headnode_leftover/:uuid` */
  headnodeDeleteLeftover: { args: { readonly uuid: string }; reply: undefined };
  /** Add an hnic to a headnode. Who may: Project access to the owning project, or Admin. `PUT /headnode/:headnode/hnic/:hnic` */
  headnodeCreateHnic: { args: { readonly headnode: string; readonly hnic: string }; reply: undefined };
  /** Remove an hnic from a headnode. Who may: Project access to the owning project, or Admin. `DELETE /headnode/:headnode/hnic/:hnic` */
  headnodeDeleteHnic: { args: { readonly headnode: string; readonly hnic: string }; reply: undefined };
  /** Attach a network to an hnic. Who may: Project access to the owning project, or Admin. `POST /headnode/:headnode/hnic/:hnic/connect_network` */
  headnodeConnectNetwork: {
    args: { readonly headnode: string; readonly hnic: string; readonly network: string };
    reply: undefined;
  };
  /** Detach the network from an hnic. Who may: Project access to the owning project, or Admin. `POST /headnode/:headnode/hnic/:hnic/detach_network` */
  headnodeDetachNetwork: { args: { readonly headnode: string; readonly hnic: string }; reply: undefined };
  /** List all switches. Who may: Admin. `GET /switches` */
  listSwitches: { args: NoArguments; reply: readonly string[] };
  /** List the types of switches that can be registered, and the fields of each as JSON Schema. Who may: Admin. `GET /switch_types` */
  listSwitchTypes: {
    args: NoArguments;
    reply: Readonly<
      Record<string, { readonly capabilities: readonly 'nativeless-trunk-mode'[]; readonly fields: unknown }>
    >;
  };
  /** Show a switch and its ports; its fields without secrets. Who may: Admin. `GET /switch/:switch` */
  showSwitch: {
    args: { readonly switch: string };
    reply: {
      readonly name: string;
      readonly ports: readonly string[];
      readonly type: string;
      readonly capabilities: readonly 'nativeless-trunk-mode'[];
      readonly fields: Readonly<Record<string, unknown>>;
      readonly secrets: readonly string[];
      readonly identity?: string;
      readonly duplicate_of?: string;
    };
  };
  /** Register a switch; the fields beside `type` are its driver’s. Who may: Admin. `PUT /switch/:switch` */
  switchRegister: {
    args: { readonly switch: string; readonly type: string; readonly [field: string]: unknown };
    reply: undefined;
  };
  /** Change fields of a switch; fields that are not named stay, and null removes one. Nodes and networks stay on it. Who may: Admin. `PATCH /switch/:switch` */
  switchUpdate: {
    args: { readonly switch: string; readonly type?: string; readonly [field: string]: unknown };
    reply: undefined;
  };
  /** Open a session with a switch, registered or not, and tell what it finds; nothing is changed. Who may: Admin. `POST /switch/:switch/test` */
  switchTest: {
    args: {
      readonly switch: string;
      readonly as?: { readonly type: string; readonly [field: string]: unknown };
      readonly dry_run?:
        | { readonly node: string; readonly nic: string; readonly network: string; readonly channel?: string }
        | { readonly port: string; readonly native: number | null; readonly tagged: readonly number[] };
    };
    reply: {
      readonly switch: string;
      readonly type: string;
      readonly fault: string | null;
      readonly identity: string | null;
      readonly about: string | null;
      readonly lacks: readonly string[] | null;
      readonly ports: readonly {
        readonly port: string;
        readonly registered: boolean;
        readonly node: string | null;
        readonly nic: string | null;
        readonly carries: { readonly native: number | null; readonly tagged: string; readonly unclear?: string } | null;
      }[];
      readonly dry_run: {
        readonly port: string;
        readonly native: number | null;
        readonly tagged: string;
        readonly refused: string | null;
        readonly sends: readonly string[];
      } | null;
    };
  };
  /** Delete a switch without ports. Who may: Admin. `DELETE /switch/:switch` */
  switchDelete: { args: { readonly switch: string }; reply: undefined };
  /** Show the nic on a port and its networks; an empty object if there is none. Who may: Admin. `GET /switch/:switch/port/:port` */
  showPort: {
    args: { readonly switch: string; readonly port: string };
    reply: {
      readonly node?: string;
      readonly nic?: string;
      readonly networks?: Readonly<Record<string, string>>;
      readonly suspect?: string;
      readonly drift?: { readonly native: number | null; readonly tagged: string; readonly unclear?: string };
      readonly absent?: boolean;
      readonly unread?: boolean;
      readonly in_doubt_until?: string;
    };
  };
  /** Register a port of a switch. Who may: Admin. `PUT /switch/:switch/port/:port` */
  switchRegisterPort: { args: { readonly switch: string; readonly port: string }; reply: undefined };
  /** Delete a port that no nic is on and that is known to carry nothing. Who may: Admin. `DELETE /switch/:switch/port/:port` */
  switchDeletePort: {
    args: { readonly switch: string; readonly port: string; readonly force?: 'true' };
    reply: undefined;
  };
  /** Record that a nic is plugged into a port. Who may: Admin. `POST /switch/:switch/port/:port/connect_nic` */
  portConnectNic: {
    args: { readonly switch: string; readonly port: string; readonly node: string; readonly nic: string };
    reply: undefined;
  };
  /** Record that the nic of a free node is unplugged. Who may: Admin. `POST /switch/:switch/port/:port/detach_nic` */
  portDetachNic: { args: { readonly switch: string; readonly port: string }; reply: undefined };
  /** Queue the detachment of a port from all networks. Who may: Admin. `POST /switch/:switch/port/:port/revert` */
  portRevert: { args: { readonly switch: string; readonly port: string }; reply: { readonly status_id: string } };
  /** Show how every switch, and the hypervisor, differs from what is recorded. Who may: Admin. `GET /drift` */
  showDrift: {
    args: NoArguments;
    reply: {
      readonly switches: readonly {
        readonly switch: string;
        readonly policy: 'report' | 'repair';
        readonly swept_at: string | null;
        readonly fault: string | null;
        readonly unsaved_since: string | null;
        readonly save_fault: string | null;
        readonly unread: readonly string[];
        readonly in_doubt: readonly string[];
        readonly ports: readonly {
          readonly port: string;
          readonly node: string | null;
          readonly nic: string | null;
          readonly project: string | null;
          readonly recorded: { readonly native: number | null; readonly tagged: string; readonly unclear?: string };
          readonly seen: { readonly native: number | null; readonly tagged: string; readonly unclear?: string } | null;
          readonly since: string;
        }[];
      }[];
      readonly headnodes: { readonly leftovers: readonly string[]; readonly fault: string | null };
    };
  };
  /** Show how a switch differs from what is recorded, as it was last seen. Who may: Admin. `GET /switch/:switch/drift` */
  showSwitchDrift: {
    args: { readonly switch: string };
    reply: {
      readonly switch: string;
      readonly policy: 'report' | 'repair';
      readonly swept_at: string | null;
      readonly fault: string | null;
      readonly unsaved_since: string | null;
      readonly save_fault: string | null;
      readonly unread: readonly string[];
      readonly in_doubt: readonly string[];
      readonly ports: readonly {
        readonly port: string;
        readonly node: string | null;
        readonly nic: string | null;
        readonly project: string | null;
        readonly recorded: { readonly native: number | null; readonly tagged: string; readonly unclear?: string };
        readonly seen: { readonly native: number | null; readonly tagged: string; readonly unclear?: string } | null;
        readonly since: string;
      }[];
    };
  };
  /** Read a whole switch now and show how it differs from what is recorded. Who may: Admin. `POST /switch/:switch/sweep` */
  switchSweep: {
    args: { readonly switch: string };
    reply: {
      readonly switch: string;
      readonly policy: 'report' | 'repair';
      readonly swept_at: string | null;
      readonly fault: string | null;
      readonly unsaved_since: string | null;
      readonly save_fault: string | null;
      readonly unread: readonly string[];
      readonly in_doubt: readonly string[];
      readonly ports: readonly {
        readonly port: string;
        readonly node: string | null;
        readonly nic: string | null;
        readonly project: string | null;
        readonly recorded: { readonly native: number | null; readonly tagged: string; readonly unclear?: string };
        readonly seen: { readonly native: number | null; readonly tagged: string; readonly unclear?: string } | null;
        readonly since: string;
      }[];
    };
  };
  /** Set what happens to ports that differ: report them, or repair them. Who may: Admin. `PUT /switch/:switch/policy` */
  switchSetPolicy: { args: { readonly switch: string; readonly policy: 'report' | 'repair' }; reply: undefined };
  /** Read the switches now and list every port that carries a network, or should. Who may: Project access to the owner of the network, or Admin. `GET /network/:network/reach` */
  networkReach: {
    args: { readonly network: string };
    reply: {
      readonly network: string;
      readonly vlan: number;
      readonly complete: boolean;
      readonly ports: readonly {
        readonly switch?: string;
        readonly port?: string;
        readonly node: string | null;
        readonly nic: string | null;
        readonly project: string | null;
        readonly verdict: string;
        readonly channel: string | null;
        readonly read_at: string | null;
      }[];
      readonly switches?: readonly {
        readonly switch: string;
        readonly read_at: string | null;
        readonly fault: string | null;
      }[];
    };
  };
  /** Ask the switches of a node behind which ports they see its nics, and compare that with what is recorded. Who may: Admin. `GET /node/:node/wiring` */
  showNodeWiring: {
    args: { readonly node: string };
    reply: {
      readonly nics: readonly {
        readonly node: string;
        readonly nic: string;
        readonly macaddr: string;
        readonly switch: string | null;
        readonly port: string | null;
        readonly seen: readonly {
          readonly switch: string;
          readonly port: string;
          readonly node: string | null;
          readonly nic: string | null;
        }[];
        readonly verdict: string;
        readonly reason: string | null;
      }[];
      readonly switches: readonly { readonly switch: string; readonly fault: string | null }[];
    };
  };
  /** Ask a switch which nics it sees behind its ports, and compare that with what is recorded. Who may: Admin. `GET /switch/:switch/wiring` */
  showSwitchWiring: {
    args: { readonly switch: string };
    reply: {
      readonly nics: readonly {
        readonly node: string;
        readonly nic: string;
        readonly macaddr: string;
        readonly switch: string | null;
        readonly port: string | null;
        readonly seen: readonly {
          readonly switch: string;
          readonly port: string;
          readonly node: string | null;
          readonly nic: string | null;
        }[];
        readonly verdict: string;
        readonly reason: string | null;
      }[];
      readonly switches: readonly { readonly switch: string; readonly fault: string | null }[];
    };
  };
  /** List nodes with everything that show_node shows, their OBM state and what blocks them, a page at a time. Who may: Everybody for free nodes and the names of all; a project sees its own nodes; Admin sees all. `GET /overview/nodes` */
  nodesOverview: {
    args: {
      readonly after?: string;
      readonly limit?: string;
      readonly which?: 'all' | 'free' | 'mine';
      readonly project?: string;
    };
    reply: {
      readonly event: number;
      readonly nodes: readonly {
        readonly name: string;
        readonly project: string | null;
        readonly nics: readonly {
          readonly label: string;
          readonly macaddr: string;
          readonly networks: Readonly<Record<string, string>>;
          readonly port?: string | null;
          readonly switch?: string | null;
          readonly pending: {
            readonly status_id: string;
            readonly type: 'modify_port' | 'revert_port';
            readonly network: string | null;
            readonly channel: string;
            readonly since: string;
            readonly attempts: number;
          } | null;
        }[];
        readonly metadata: Readonly<Record<string, unknown>>;
        readonly obm_enabled: boolean | null;
        readonly blocked:
          | readonly {
              readonly kind: string;
              readonly nic: string | null;
              readonly network: string | null;
              readonly switch: string | null;
              readonly port: string | null;
              readonly message: string;
            }[]
          | null;
      }[];
      readonly others: readonly string[];
      readonly next: string | null;
    };
  };
  /** Show a node with its OBM state and what blocks it. Who may: Everybody for a free node; otherwise Project access to the node's project; Admin sees ports too. `GET /overview/node/:node` */
  nodeOverview: {
    args: { readonly node: string };
    reply: {
      readonly event: number;
      readonly name: string;
      readonly project: string | null;
      readonly nics: readonly {
        readonly label: string;
        readonly macaddr: string;
        readonly networks: Readonly<Record<string, string>>;
        readonly port?: string | null;
        readonly switch?: string | null;
        readonly pending: {
          readonly status_id: string;
          readonly type: 'modify_port' | 'revert_port';
          readonly network: string | null;
          readonly channel: string;
          readonly since: string;
          readonly attempts: number;
        } | null;
      }[];
      readonly metadata: Readonly<Record<string, unknown>>;
      readonly obm_enabled: boolean | null;
      readonly blocked:
        | readonly {
            readonly kind: string;
            readonly nic: string | null;
            readonly network: string | null;
            readonly switch: string | null;
            readonly port: string | null;
            readonly message: string;
          }[]
        | null;
    };
  };
  /** List every network that the caller may see or use, with owner, access, VLAN and how much is on it. Who may: Everybody for public networks; a project also sees its own and those it has access to; Admin sees all. `GET /overview/networks` */
  networksOverview: {
    args: NoArguments;
    reply: {
      readonly event: number;
      readonly networks: readonly {
        readonly name: string;
        readonly network_id: string;
        readonly channels: readonly string[];
        readonly owner: string;
        readonly access: readonly string[] | null;
        readonly use: string | null;
        readonly nodes: number;
        readonly nics: number;
      }[];
    };
  };
  /** List the projects of the caller with how much they have, a page at a time. Who may: Any authenticated caller for their own projects; Admin sees all, and their members. `GET /overview/projects` */
  projectsOverview: {
    args: { readonly after?: string; readonly limit?: string };
    reply: {
      readonly event: number;
      readonly projects: readonly {
        readonly name: string;
        readonly nodes: number;
        readonly networks: number;
        readonly headnodes: number;
        readonly members: readonly string[] | null;
      }[];
      readonly next: string | null;
    };
  };
  /** List headnodes with their state and the networks of their hnics, a page at a time. Who may: Any authenticated caller for headnodes of their projects; Admin sees all. `GET /overview/headnodes` */
  headnodesOverview: {
    args: { readonly after?: string; readonly limit?: string; readonly project?: string };
    reply: {
      readonly event: number;
      readonly headnodes: readonly {
        readonly name: string;
        readonly project: string;
        readonly uuid: string;
        readonly base_img: string;
        readonly state: 'created' | 'started' | 'stopped' | 'deleting';
        readonly in_progress: boolean;
        readonly vncport: null;
        readonly hnics: readonly { readonly label: string; readonly network: string | null }[];
      }[];
      readonly next: string | null;
    };
  };
  /** List the network changes that are pending, the oldest first, a page at a time. Who may: Any authenticated caller for nodes of their projects; Admin sees all, and switches and ports. `GET /overview/actions` */
  actionsOverview: {
    args: { readonly after?: string; readonly limit?: string };
    reply: {
      readonly event: number;
      readonly actions: readonly {
        readonly status_id: string;
        readonly type: 'modify_port' | 'revert_port';
        readonly network: string | null;
        readonly channel: string;
        readonly since: string;
        readonly attempts: number;
        readonly node: string;
        readonly nic: string;
        readonly project: string | null;
        readonly switch_answers: boolean;
        readonly switch?: string;
        readonly port?: string;
      }[];
      readonly next: string | null;
    };
  };
  /** List switches with their state, last reading and drift, as they were last seen, a page at a time. Who may: Admin. `GET /overview/switches` */
  switchesOverview: {
    args: { readonly after?: string; readonly limit?: string };
    reply: {
      readonly event: number;
      readonly switches: readonly {
        readonly name: string;
        readonly type: string;
        readonly policy: string;
        readonly state: string;
        readonly swept_at: string | null;
        readonly fault: string | null;
        readonly unsaved_since: string | null;
        readonly save_fault: string | null;
        readonly duplicate_of: string | null;
        readonly ports: number;
        readonly drifting: number;
        readonly suspect: number;
        readonly unread: number;
        readonly in_doubt: number;
      }[];
      readonly next: string | null;
    };
  };
  /** Show a switch with its state, its fields without secrets, and every port with what it should and does carry. Who may: Admin. `GET /overview/switch/:switch` */
  switchOverview: {
    args: { readonly switch: string };
    reply: {
      readonly event: number;
      readonly name: string;
      readonly type: string;
      readonly policy: string;
      readonly state: string;
      readonly swept_at: string | null;
      readonly fault: string | null;
      readonly unsaved_since: string | null;
      readonly save_fault: string | null;
      readonly duplicate_of: string | null;
      readonly ports: number;
      readonly drifting: number;
      readonly suspect: number;
      readonly unread: number;
      readonly in_doubt: number;
      readonly capabilities: readonly 'nativeless-trunk-mode'[];
      readonly fields: Readonly<Record<string, unknown>>;
      readonly secrets: readonly string[];
      readonly identity?: string;
      readonly fault_since: string | null;
      readonly probe_at: string | null;
      readonly port_list: readonly {
        readonly port: string;
        readonly registered: boolean;
        readonly node: string | null;
        readonly nic: string | null;
        readonly project: string | null;
        readonly networks: Readonly<Record<string, string>>;
        readonly recorded: {
          readonly native: number | null;
          readonly tagged: string;
          readonly unclear?: string;
        } | null;
        readonly seen: { readonly native: number | null; readonly tagged: string; readonly unclear?: string } | null;
        readonly absent: boolean;
        readonly read_at: string | null;
        readonly state: 'ok' | 'drift' | 'suspect' | 'unread' | 'in doubt';
        readonly since: string | null;
        readonly why: string | null;
        readonly pending: {
          readonly status_id: string;
          readonly type: 'modify_port' | 'revert_port';
          readonly network: string | null;
          readonly channel: string;
          readonly since: string;
          readonly attempts: number;
        } | null;
      }[];
    };
  };
  /** List the active extensions. Who may: Admin. `GET /active_extensions` */
  listActiveExtensions: { args: NoArguments; reply: readonly string[] };
  /** List all users. Who may: Admin. `GET /auth/basic/users` */
  listUsers: {
    args: NoArguments;
    reply: Readonly<Record<string, { readonly is_admin: boolean; readonly projects: readonly string[] }>>;
  };
  /** Create a user. Who may: Admin; an administrator not with an API token. `PUT /auth/basic/user/:username` */
  userCreate: {
    args: {
      readonly username: string;
      readonly password: string;
      readonly is_admin?: boolean;
      readonly 'is-admin'?: boolean;
    };
    reply: undefined;
  };
  /** Delete a user. Who may: Admin; an administrator not with an API token. `DELETE /auth/basic/user/:username` */
  userDelete: { args: { readonly username: string }; reply: undefined };
  /** Give a user administrative access, or take it away. Who may: Admin, not with an API token. `PATCH /auth/basic/user/:username` */
  userSetAdmin: { args: { readonly username: string; readonly is_admin: boolean }; reply: undefined };
  /** Change your own password, or set another user's. Who may: The user, with the current password as `current`; or Admin, for other users. Not with an API token. `PUT /auth/basic/user/:username/password` */
  userSetPassword: {
    args: {
      readonly username: string;
      readonly password: string;
      readonly current?: string;
      readonly revoke_tokens?: boolean;
    };
    reply: undefined;
  };
  /** Show a user's mail address and whether they want mail. Who may: The user, or Admin. `GET /auth/basic/user/:username/mail` */
  showUserMail: {
    args: { readonly username: string };
    reply: { readonly address: string | null; readonly enabled: boolean };
  };
  /** Set a user's mail address, or turn your own mail on or off. Who may: Admin for `address`; the user for `enabled`, or Admin to turn it off. `PATCH /auth/basic/user/:username/mail` */
  userSetMail: {
    args: { readonly username: string; readonly address?: string | null; readonly enabled?: boolean };
    reply: undefined;
  };
  /** Add a user to a project. Who may: Admin. `POST /auth/basic/user/:user/add_project` */
  userAddProject: { args: { readonly user: string; readonly project: string }; reply: undefined };
  /** Remove a user from a project. Who may: Admin. `POST /auth/basic/user/:user/remove_project` */
  userRemoveProject: { args: { readonly user: string; readonly project: string }; reply: undefined };
  /** Sign in with a password, from a page of this service: sets the cookie of a new session. Who may: Everybody. `POST /auth/session` */
  sessionOpen: {
    args: { readonly username: string; readonly password: string };
    reply: {
      readonly name: string;
      readonly admin: boolean;
      readonly projects: readonly string[];
      readonly by: string;
      readonly read_only: boolean;
      readonly expires_at: string | null;
    };
  };
  /** List the ways to sign in. Who may: Everybody. `GET /auth/methods` */
  showAuthMethods: {
    args: NoArguments;
    reply: {
      readonly basic: boolean;
      readonly keystone: { readonly url: string } | null;
      readonly oidc: {
        readonly issuer: string;
        readonly audience: string;
        readonly browser: boolean;
        readonly device: { readonly client_id: string; readonly scopes: string } | null;
      } | null;
    };
  };
  /** Show who is signed in, if anybody is: for pages, which have to know before they ask for anything else. Who may: Everybody. `GET /auth/session` */
  showSession: {
    args: NoArguments;
    reply: {
      readonly caller: {
        readonly name: string;
        readonly admin: boolean;
        readonly projects: readonly string[];
        readonly by: string;
        readonly read_only: boolean;
        readonly expires_at: string | null;
      } | null;
    };
  };
  /** Show who the caller is, what they may do, and until when. Who may: Any user. `GET /auth/whoami` */
  whoami: {
    args: NoArguments;
    reply: {
      readonly name: string;
      readonly admin: boolean;
      readonly projects: readonly string[];
      readonly by: string;
      readonly read_only: boolean;
      readonly expires_at: string | null;
    };
  };
  /** Sign out: end the session that the call comes with. Who may: Any user with a session. `DELETE /auth/session` */
  sessionClose: { args: NoArguments; reply: undefined };
  /** List your sessions, newest first. Who may: Any user; Admin for those of others. `GET /auth/sessions` */
  listSessions: {
    args: { readonly user?: string };
    reply: readonly {
      readonly session: string;
      readonly user: string;
      readonly made_at: string;
      readonly seen_at: string;
      readonly expires_at: string;
      readonly address: string;
      readonly agent: string;
      readonly current: boolean;
    }[];
  };
  /** End a session. Who may: The owner, or Admin. `DELETE /auth/sessions/:session` */
  sessionEnd: { args: { readonly session: string }; reply: undefined };
  /** Create a token with this name; it is shown only once. Who may: Any user, not with a token. `PUT /auth/token/:token` */
  tokenCreate: {
    args: {
      readonly token: string;
      readonly expires_in?: number;
      readonly project?: string;
      readonly read_only?: boolean;
    };
    reply: { readonly token: string; readonly expires_at: string };
  };
  /** List your tokens. Who may: Any user; Admin for those of others. `GET /auth/tokens` */
  listTokens: {
    args: { readonly user?: string };
    reply: readonly {
      readonly token: string;
      readonly user: string;
      readonly project: string | null;
      readonly read_only: boolean;
      readonly made_at: string;
      readonly expires_at: string;
      readonly used_at: string | null;
    }[];
  };
  /** Revoke a token. Who may: Any user; Admin for those of others. `DELETE /auth/token/:token` */
  tokenRevoke: { args: { readonly token: string; readonly user?: string }; reply: undefined };
  /** List events: newest first, or in order from `after` on. Who may: Admin sees all, a project its own. `GET /events` */
  listEvents: {
    args: {
      readonly project?: string;
      readonly node?: string;
      readonly nic?: string;
      readonly network?: string;
      readonly headnode?: string;
      readonly hnic?: string;
      readonly switch?: string;
      readonly port?: string;
      readonly user?: string;
      readonly caller?: string;
      readonly type?: string;
      readonly since?: string;
      readonly until?: string;
      readonly before?: string;
      readonly after?: string;
      readonly limit?: string;
    };
    reply: {
      readonly events: readonly {
        readonly id: number;
        readonly at: string;
        readonly type: string;
        readonly caller: string;
        readonly request_id: string | null;
        readonly project: string | null;
        readonly node?: string;
        readonly nic?: string;
        readonly network?: string;
        readonly headnode?: string;
        readonly hnic?: string;
        readonly switch?: string;
        readonly port?: string;
        readonly user?: string;
        readonly detail: Readonly<Record<string, unknown>>;
      }[];
      readonly next: number | null;
    };
  };
  /** Stream events as they happen (server-sent events); Last-Event-ID resumes. Who may: Admin sees all, a project its own. `GET /events/stream` */
  streamEvents: { args: NoArguments; reply: AsyncIterable<Uint8Array> };
  /** List subscriptions. Who may: Admin sees all, a project its own. `GET /subscriptions` */
  listSubscriptions: {
    args: { readonly project?: string };
    reply: readonly {
      readonly subscription: string;
      readonly project: string | null;
      readonly url: string;
      readonly user: string | null;
      readonly filter: {
        readonly types?: readonly string[];
        readonly project?: string;
        readonly node?: string;
        readonly nic?: string;
        readonly network?: string;
        readonly headnode?: string;
        readonly hnic?: string;
        readonly switch?: string;
        readonly port?: string;
        readonly user?: string;
        readonly caller?: string;
      };
      readonly state: 'active' | 'failing' | 'paused';
      readonly paused_because: string | null;
      readonly made_by: string;
      readonly made_at: string;
      readonly old_secret_until: string | null;
      readonly position: number;
      readonly attempts: number;
      readonly retry_at: string | null;
      readonly delivered: number;
      readonly given_up: number;
      readonly lost_up_to: number | null;
      readonly last_at: string | null;
      readonly last_result: string | null;
    }[];
  };
  /** Show a subscription and how far it is. Who may: Project access for a project's, Admin for the site's. `GET /subscription/:subscription` */
  showSubscription: {
    args: { readonly subscription: string };
    reply: {
      readonly subscription: string;
      readonly project: string | null;
      readonly url: string;
      readonly user: string | null;
      readonly filter: {
        readonly types?: readonly string[];
        readonly project?: string;
        readonly node?: string;
        readonly nic?: string;
        readonly network?: string;
        readonly headnode?: string;
        readonly hnic?: string;
        readonly switch?: string;
        readonly port?: string;
        readonly user?: string;
        readonly caller?: string;
      };
      readonly state: 'active' | 'failing' | 'paused';
      readonly paused_because: string | null;
      readonly made_by: string;
      readonly made_at: string;
      readonly old_secret_until: string | null;
      readonly position: number;
      readonly attempts: number;
      readonly retry_at: string | null;
      readonly delivered: number;
      readonly given_up: number;
      readonly lost_up_to: number | null;
      readonly last_at: string | null;
      readonly last_result: string | null;
    };
  };
  /** Send events to a URL from now on; the secret is shown only once. Who may: Project access for a project's, Admin for the site's. `PUT /subscription/:subscription` */
  subscriptionCreate: {
    args: {
      readonly subscription: string;
      readonly url: string;
      readonly project?: string;
      readonly filter?: {
        readonly types?: readonly string[];
        readonly project?: string;
        readonly node?: string;
        readonly nic?: string;
        readonly network?: string;
        readonly headnode?: string;
        readonly hnic?: string;
        readonly switch?: string;
        readonly port?: string;
        readonly user?: string;
        readonly caller?: string;
      };
    };
    reply: { readonly secret: string };
  };
  /** Mail events to a user or an address from now on. Who may: Project access for a project's, Admin for the site's; only Admin for other users and for addresses. `PUT /subscription/:subscription/mail` */
  subscriptionCreateMail: {
    args: {
      readonly subscription: string;
      readonly user?: string;
      readonly address?: string;
      readonly project?: string;
      readonly filter?: {
        readonly types?: readonly string[];
        readonly project?: string;
        readonly node?: string;
        readonly nic?: string;
        readonly network?: string;
        readonly headnode?: string;
        readonly hnic?: string;
        readonly switch?: string;
        readonly port?: string;
        readonly user?: string;
        readonly caller?: string;
      };
    };
    reply: undefined;
  };
  /** Change where a subscription goes or what it is for, pause or resume it. Who may: Project access for a project's, Admin for the site's. `PATCH /subscription/:subscription` */
  subscriptionUpdate: {
    args: {
      readonly subscription: string;
      readonly url?: string;
      readonly filter?: {
        readonly types?: readonly string[];
        readonly project?: string;
        readonly node?: string;
        readonly nic?: string;
        readonly network?: string;
        readonly headnode?: string;
        readonly hnic?: string;
        readonly switch?: string;
        readonly port?: string;
        readonly user?: string;
        readonly caller?: string;
      };
      readonly paused?: boolean;
      readonly from_now?: boolean;
    };
    reply: undefined;
  };
  /** Delete a subscription with its dead letters. Who may: Project access for a project's, Admin for the site's. `DELETE /subscription/:subscription` */
  subscriptionDelete: { args: { readonly subscription: string }; reply: undefined };
  /** Give a subscription a new secret; for a day, the old one signs too. Who may: Project access for a project's, Admin for the site's. `POST /subscription/:subscription/rotate_secret` */
  subscriptionRotateSecret: {
    args: { readonly subscription: string };
    reply: { readonly secret: string; readonly old_secret_until: string };
  };
  /** Send a test message now. Who may: Project access for a project's, Admin for the site's. `POST /subscription/:subscription/test` */
  subscriptionTest: {
    args: { readonly subscription: string };
    reply: { readonly delivered: boolean; readonly result: string };
  };
  /** List events that could not be delivered, oldest first. Who may: Project access for a project's, Admin for the site's. `GET /subscription/:subscription/dead_letters` */
  listDeadLetters: {
    args: { readonly subscription: string };
    reply: readonly {
      readonly dead_letter: number;
      readonly event: {
        readonly id: number;
        readonly at: string;
        readonly type: string;
        readonly caller: string;
        readonly request_id: string | null;
        readonly project: string | null;
        readonly node?: string;
        readonly nic?: string;
        readonly network?: string;
        readonly headnode?: string;
        readonly hnic?: string;
        readonly switch?: string;
        readonly port?: string;
        readonly user?: string;
        readonly detail: Readonly<Record<string, unknown>>;
      };
      readonly reason: string;
      readonly died_at: string;
    }[];
  };
  /** Send a dead letter now; it is deleted if the receiver takes it. Who may: Project access for a project's, Admin for the site's. `POST /subscription/:subscription/resend` */
  subscriptionResend: {
    args: { readonly subscription: string; readonly dead_letter: number };
    reply: { readonly delivered: boolean; readonly result: string };
  };
}

/** Where every call is, and where its arguments go: those of the path and the query by name, the rest into the body. */
export const calls = {
  listNetworks: {
    name: 'list_networks',
    method: 'GET',
    path: '/networks',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  showNetwork: {
    name: 'show_network',
    method: 'GET',
    path: '/network/:network',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  networkCreate: {
    name: 'network_create',
    method: 'PUT',
    path: '/network/:network',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  networkDelete: {
    name: 'network_delete',
    method: 'DELETE',
    path: '/network/:network',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  listNetworkAttachments: {
    name: 'list_network_attachments',
    method: 'GET',
    path: '/network/:network/attachments',
    query: ['project'],
    effect: 'reads',
    reply: 'object',
  },
  networkGrantProjectAccess: {
    name: 'network_grant_project_access',
    method: 'PUT',
    path: '/network/:network/access/:project',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  networkRevokeProjectAccess: {
    name: 'network_revoke_project_access',
    method: 'DELETE',
    path: '/network/:network/access/:project',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  showNetworkingAction: {
    name: 'show_networking_action',
    method: 'GET',
    path: '/networking_action/:status_id',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  listNodes: { name: 'list_nodes', method: 'GET', path: '/nodes/:is_free', query: [], effect: 'reads', reply: 'list' },
  showNode: { name: 'show_node', method: 'GET', path: '/node/:node', query: [], effect: 'reads', reply: 'object' },
  nodeRegister: {
    name: 'node_register',
    method: 'PUT',
    path: '/node/:node',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodeDelete: {
    name: 'node_delete',
    method: 'DELETE',
    path: '/node/:node',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodeRegisterNic: {
    name: 'node_register_nic',
    method: 'PUT',
    path: '/node/:node/nic/:nic',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodeDeleteNic: {
    name: 'node_delete_nic',
    method: 'DELETE',
    path: '/node/:node/nic/:nic',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodeConnectNetwork: {
    name: 'node_connect_network',
    method: 'POST',
    path: '/node/:node/nic/:nic/connect_network',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  nodeDetachNetwork: {
    name: 'node_detach_network',
    method: 'POST',
    path: '/node/:node/nic/:nic/detach_network',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  nodeSetMetadata: {
    name: 'node_set_metadata',
    method: 'PUT',
    path: '/node/:node/metadata/:label',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodeDeleteMetadata: {
    name: 'node_delete_metadata',
    method: 'DELETE',
    path: '/node/:node/metadata/:label',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodeSetObm: {
    name: 'node_set_obm',
    method: 'PUT',
    path: '/node/:node/obm',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  showObmd: { name: 'show_obmd', method: 'GET', path: '/node/:node/obmd', query: [], effect: 'reads', reply: 'object' },
  nodeSetObmd: {
    name: 'node_set_obmd',
    method: 'PUT',
    path: '/node/:node/obmd',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodePowerOn: {
    name: 'node_power_on',
    method: 'POST',
    path: '/node/:node/power_on',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodePowerOff: {
    name: 'node_power_off',
    method: 'POST',
    path: '/node/:node/power_off',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodePowerCycle: {
    name: 'node_power_cycle',
    method: 'POST',
    path: '/node/:node/power_cycle',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodePowerStatus: {
    name: 'node_power_status',
    method: 'GET',
    path: '/node/:node/power_status',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  nodeSetBootdev: {
    name: 'node_set_bootdev',
    method: 'PUT',
    path: '/node/:node/boot_device',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  showConsole: {
    name: 'show_console',
    method: 'GET',
    path: '/node/:node/console',
    query: [],
    effect: 'changes',
    reply: 'bytes',
  },
  showConsoleClient: {
    name: 'show_console_client',
    method: 'GET',
    path: '/node/:node/console/client',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  listBmcTypes: {
    name: 'list_bmc_types',
    method: 'GET',
    path: '/bmc_types',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  listBmcs: { name: 'list_bmcs', method: 'GET', path: '/bmcs', query: [], effect: 'reads', reply: 'object' },
  showBmc: { name: 'show_bmc', method: 'GET', path: '/node/:node/bmc', query: [], effect: 'reads', reply: 'object' },
  bmcRegister: {
    name: 'bmc_register',
    method: 'PUT',
    path: '/node/:node/bmc',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  bmcDelete: {
    name: 'bmc_delete',
    method: 'DELETE',
    path: '/node/:node/bmc',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  bmcTest: {
    name: 'bmc_test',
    method: 'POST',
    path: '/node/:node/bmc/test',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  listCleanings: {
    name: 'list_cleanings',
    method: 'GET',
    path: '/cleanings',
    query: ['after', 'limit', 'state', 'node'],
    effect: 'reads',
    reply: 'object',
  },
  showCleaning: {
    name: 'show_cleaning',
    method: 'GET',
    path: '/cleaning/:cleaning',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  cleaningRetry: {
    name: 'cleaning_retry',
    method: 'POST',
    path: '/cleaning/:cleaning/retry',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  cleaningSkip: {
    name: 'cleaning_skip',
    method: 'POST',
    path: '/cleaning/:cleaning/skip',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  cleaningResult: {
    name: 'cleaning_result',
    method: 'POST',
    path: '/cleaning/:cleaning/result',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  nodeQuarantine: {
    name: 'node_quarantine',
    method: 'POST',
    path: '/node/:node/quarantine',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  listProjects: { name: 'list_projects', method: 'GET', path: '/projects', query: [], effect: 'reads', reply: 'list' },
  projectCreate: {
    name: 'project_create',
    method: 'PUT',
    path: '/project/:project',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  projectDelete: {
    name: 'project_delete',
    method: 'DELETE',
    path: '/project/:project',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  projectConnectNode: {
    name: 'project_connect_node',
    method: 'POST',
    path: '/project/:project/connect_node',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  projectDetachNode: {
    name: 'project_detach_node',
    method: 'POST',
    path: '/project/:project/detach_node',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  listProjectNodes: {
    name: 'list_project_nodes',
    method: 'GET',
    path: '/project/:project/nodes',
    query: [],
    effect: 'reads',
    reply: 'list',
  },
  listProjectNetworks: {
    name: 'list_project_networks',
    method: 'GET',
    path: '/project/:project/networks',
    query: [],
    effect: 'reads',
    reply: 'list',
  },
  listProjectHeadnodes: {
    name: 'list_project_headnodes',
    method: 'GET',
    path: '/project/:project/headnodes',
    query: [],
    effect: 'reads',
    reply: 'list',
  },
  projectClaim: {
    name: 'project_claim',
    method: 'POST',
    path: '/project/:project/claim',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  projectClaimPreview: {
    name: 'project_claim_preview',
    method: 'POST',
    path: '/project/:project/claim/preview',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  listProjectClaims: {
    name: 'list_project_claims',
    method: 'GET',
    path: '/project/:project/claims',
    query: [],
    effect: 'reads',
    reply: 'list',
  },
  showClaim: { name: 'show_claim', method: 'GET', path: '/claim/:claim', query: [], effect: 'reads', reply: 'object' },
  claimCancel: {
    name: 'claim_cancel',
    method: 'DELETE',
    path: '/claim/:claim',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  projectReleaseNodes: {
    name: 'project_release_nodes',
    method: 'POST',
    path: '/project/:project/release',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  showRelease: {
    name: 'show_release',
    method: 'GET',
    path: '/release/:release',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  listProjectReleases: {
    name: 'list_project_releases',
    method: 'GET',
    path: '/project/:project/releases',
    query: [],
    effect: 'reads',
    reply: 'list',
  },
  listQuotas: { name: 'list_quotas', method: 'GET', path: '/quotas', query: [], effect: 'reads', reply: 'list' },
  listProjectQuotas: {
    name: 'list_project_quotas',
    method: 'GET',
    path: '/project/:project/quotas',
    query: [],
    effect: 'reads',
    reply: 'list',
  },
  quotaSet: { name: 'quota_set', method: 'PUT', path: '/quota/:what', query: [], effect: 'changes', reply: 'nothing' },
  quotaDelete: {
    name: 'quota_delete',
    method: 'DELETE',
    path: '/quota/:what',
    query: ['project', 'class'],
    effect: 'changes',
    reply: 'nothing',
  },
  listUsage: {
    name: 'list_usage',
    method: 'GET',
    path: '/usage',
    query: ['from', 'to', 'by', 'limit', 'after'],
    effect: 'reads',
    reply: 'object',
  },
  listHeadnodeImages: {
    name: 'list_headnode_images',
    method: 'GET',
    path: '/headnode_images/',
    query: [],
    effect: 'reads',
    reply: 'list',
  },
  showHeadnode: {
    name: 'show_headnode',
    method: 'GET',
    path: '/headnode/:headnode',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  headnodeCreate: {
    name: 'headnode_create',
    method: 'PUT',
    path: '/headnode/:headnode',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  headnodeDelete: {
    name: 'headnode_delete',
    method: 'DELETE',
    path: '/headnode/:headnode',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  headnodeStart: {
    name: 'headnode_start',
    method: 'POST',
    path: '/headnode/:headnode/start',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  headnodeStop: {
    name: 'headnode_stop',
    method: 'POST',
    path: '/headnode/:headnode/stop',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  headnodeVnc: {
    name: 'headnode_vnc',
    method: 'GET',
    path: '/headnode/:headnode/vnc',
    query: [],
    effect: 'changes',
    reply: 'bytes',
  },
  headnodeDeleteLeftover: {
    name: 'headnode_delete_leftover',
    method: 'DELETE',
    path: '/headnode_leftover/:uuid',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  headnodeCreateHnic: {
    name: 'headnode_create_hnic',
    method: 'PUT',
    path: '/headnode/:headnode/hnic/:hnic',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  headnodeDeleteHnic: {
    name: 'headnode_delete_hnic',
    method: 'DELETE',
    path: '/headnode/:headnode/hnic/:hnic',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  headnodeConnectNetwork: {
    name: 'headnode_connect_network',
    method: 'POST',
    path: '/headnode/:headnode/hnic/:hnic/connect_network',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  headnodeDetachNetwork: {
    name: 'headnode_detach_network',
    method: 'POST',
    path: '/headnode/:headnode/hnic/:hnic/detach_network',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  listSwitches: { name: 'list_switches', method: 'GET', path: '/switches', query: [], effect: 'reads', reply: 'list' },
  listSwitchTypes: {
    name: 'list_switch_types',
    method: 'GET',
    path: '/switch_types',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  showSwitch: {
    name: 'show_switch',
    method: 'GET',
    path: '/switch/:switch',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  switchRegister: {
    name: 'switch_register',
    method: 'PUT',
    path: '/switch/:switch',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  switchUpdate: {
    name: 'switch_update',
    method: 'PATCH',
    path: '/switch/:switch',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  switchTest: {
    name: 'switch_test',
    method: 'POST',
    path: '/switch/:switch/test',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  switchDelete: {
    name: 'switch_delete',
    method: 'DELETE',
    path: '/switch/:switch',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  showPort: {
    name: 'show_port',
    method: 'GET',
    path: '/switch/:switch/port/:port',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  switchRegisterPort: {
    name: 'switch_register_port',
    method: 'PUT',
    path: '/switch/:switch/port/:port',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  switchDeletePort: {
    name: 'switch_delete_port',
    method: 'DELETE',
    path: '/switch/:switch/port/:port',
    query: ['force'],
    effect: 'changes',
    reply: 'nothing',
  },
  portConnectNic: {
    name: 'port_connect_nic',
    method: 'POST',
    path: '/switch/:switch/port/:port/connect_nic',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  portDetachNic: {
    name: 'port_detach_nic',
    method: 'POST',
    path: '/switch/:switch/port/:port/detach_nic',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  portRevert: {
    name: 'port_revert',
    method: 'POST',
    path: '/switch/:switch/port/:port/revert',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  showDrift: { name: 'show_drift', method: 'GET', path: '/drift', query: [], effect: 'reads', reply: 'object' },
  showSwitchDrift: {
    name: 'show_switch_drift',
    method: 'GET',
    path: '/switch/:switch/drift',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  switchSweep: {
    name: 'switch_sweep',
    method: 'POST',
    path: '/switch/:switch/sweep',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  switchSetPolicy: {
    name: 'switch_set_policy',
    method: 'PUT',
    path: '/switch/:switch/policy',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  networkReach: {
    name: 'network_reach',
    method: 'GET',
    path: '/network/:network/reach',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  showNodeWiring: {
    name: 'show_node_wiring',
    method: 'GET',
    path: '/node/:node/wiring',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  showSwitchWiring: {
    name: 'show_switch_wiring',
    method: 'GET',
    path: '/switch/:switch/wiring',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  nodesOverview: {
    name: 'nodes_overview',
    method: 'GET',
    path: '/overview/nodes',
    query: ['after', 'limit', 'which', 'project'],
    effect: 'reads',
    reply: 'object',
  },
  nodeOverview: {
    name: 'node_overview',
    method: 'GET',
    path: '/overview/node/:node',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  networksOverview: {
    name: 'networks_overview',
    method: 'GET',
    path: '/overview/networks',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  projectsOverview: {
    name: 'projects_overview',
    method: 'GET',
    path: '/overview/projects',
    query: ['after', 'limit'],
    effect: 'reads',
    reply: 'object',
  },
  headnodesOverview: {
    name: 'headnodes_overview',
    method: 'GET',
    path: '/overview/headnodes',
    query: ['after', 'limit', 'project'],
    effect: 'reads',
    reply: 'object',
  },
  actionsOverview: {
    name: 'actions_overview',
    method: 'GET',
    path: '/overview/actions',
    query: ['after', 'limit'],
    effect: 'reads',
    reply: 'object',
  },
  switchesOverview: {
    name: 'switches_overview',
    method: 'GET',
    path: '/overview/switches',
    query: ['after', 'limit'],
    effect: 'reads',
    reply: 'object',
  },
  switchOverview: {
    name: 'switch_overview',
    method: 'GET',
    path: '/overview/switch/:switch',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  listActiveExtensions: {
    name: 'list_active_extensions',
    method: 'GET',
    path: '/active_extensions',
    query: [],
    effect: 'reads',
    reply: 'list',
  },
  listUsers: {
    name: 'list_users',
    method: 'GET',
    path: '/auth/basic/users',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  userCreate: {
    name: 'user_create',
    method: 'PUT',
    path: '/auth/basic/user/:username',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  userDelete: {
    name: 'user_delete',
    method: 'DELETE',
    path: '/auth/basic/user/:username',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  userSetAdmin: {
    name: 'user_set_admin',
    method: 'PATCH',
    path: '/auth/basic/user/:username',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  userSetPassword: {
    name: 'user_set_password',
    method: 'PUT',
    path: '/auth/basic/user/:username/password',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  showUserMail: {
    name: 'show_user_mail',
    method: 'GET',
    path: '/auth/basic/user/:username/mail',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  userSetMail: {
    name: 'user_set_mail',
    method: 'PATCH',
    path: '/auth/basic/user/:username/mail',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  userAddProject: {
    name: 'user_add_project',
    method: 'POST',
    path: '/auth/basic/user/:user/add_project',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  userRemoveProject: {
    name: 'user_remove_project',
    method: 'POST',
    path: '/auth/basic/user/:user/remove_project',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  sessionOpen: {
    name: 'session_open',
    method: 'POST',
    path: '/auth/session',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  showAuthMethods: {
    name: 'show_auth_methods',
    method: 'GET',
    path: '/auth/methods',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  showSession: {
    name: 'show_session',
    method: 'GET',
    path: '/auth/session',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  whoami: { name: 'whoami', method: 'GET', path: '/auth/whoami', query: [], effect: 'reads', reply: 'object' },
  sessionClose: {
    name: 'session_close',
    method: 'DELETE',
    path: '/auth/session',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  listSessions: {
    name: 'list_sessions',
    method: 'GET',
    path: '/auth/sessions',
    query: ['user'],
    effect: 'reads',
    reply: 'list',
  },
  sessionEnd: {
    name: 'session_end',
    method: 'DELETE',
    path: '/auth/sessions/:session',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  tokenCreate: {
    name: 'token_create',
    method: 'PUT',
    path: '/auth/token/:token',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  listTokens: {
    name: 'list_tokens',
    method: 'GET',
    path: '/auth/tokens',
    query: ['user'],
    effect: 'reads',
    reply: 'list',
  },
  tokenRevoke: {
    name: 'token_revoke',
    method: 'DELETE',
    path: '/auth/token/:token',
    query: ['user'],
    effect: 'changes',
    reply: 'nothing',
  },
  listEvents: {
    name: 'list_events',
    method: 'GET',
    path: '/events',
    query: [
      'project',
      'node',
      'nic',
      'network',
      'headnode',
      'hnic',
      'switch',
      'port',
      'user',
      'caller',
      'type',
      'since',
      'until',
      'before',
      'after',
      'limit',
    ],
    effect: 'reads',
    reply: 'object',
  },
  streamEvents: {
    name: 'stream_events',
    method: 'GET',
    path: '/events/stream',
    query: [],
    effect: 'reads',
    reply: 'bytes',
  },
  listSubscriptions: {
    name: 'list_subscriptions',
    method: 'GET',
    path: '/subscriptions',
    query: ['project'],
    effect: 'reads',
    reply: 'list',
  },
  showSubscription: {
    name: 'show_subscription',
    method: 'GET',
    path: '/subscription/:subscription',
    query: [],
    effect: 'reads',
    reply: 'object',
  },
  subscriptionCreate: {
    name: 'subscription_create',
    method: 'PUT',
    path: '/subscription/:subscription',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  subscriptionCreateMail: {
    name: 'subscription_create_mail',
    method: 'PUT',
    path: '/subscription/:subscription/mail',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  subscriptionUpdate: {
    name: 'subscription_update',
    method: 'PATCH',
    path: '/subscription/:subscription',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  subscriptionDelete: {
    name: 'subscription_delete',
    method: 'DELETE',
    path: '/subscription/:subscription',
    query: [],
    effect: 'changes',
    reply: 'nothing',
  },
  subscriptionRotateSecret: {
    name: 'subscription_rotate_secret',
    method: 'POST',
    path: '/subscription/:subscription/rotate_secret',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  subscriptionTest: {
    name: 'subscription_test',
    method: 'POST',
    path: '/subscription/:subscription/test',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
  listDeadLetters: {
    name: 'list_dead_letters',
    method: 'GET',
    path: '/subscription/:subscription/dead_letters',
    query: [],
    effect: 'reads',
    reply: 'list',
  },
  subscriptionResend: {
    name: 'subscription_resend',
    method: 'POST',
    path: '/subscription/:subscription/resend',
    query: [],
    effect: 'changes',
    reply: 'object',
  },
} as const;

/** What names of new things must look like, by the name of their argument. */
export const grammar = {
  network: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end; no invisible characters',
  },
  project: {
    pattern:
      '^(?!admin$)(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end; not "admin", which means the operator; no invisible characters',
  },
  node: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end; no invisible characters',
  },
  nic: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end; no invisible characters',
  },
  label: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end; no invisible characters',
  },
  headnode: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end; no invisible characters',
  },
  hnic: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end; no invisible characters',
  },
  switch: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end; no invisible characters',
  },
  port: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters or a space at either end; no invisible characters',
  },
  username: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/:\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end, and without a colon; no invisible characters',
  },
  token: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end; no invisible characters',
  },
  subscription: {
    pattern:
      '^(?!.*(?:(?![\\u200c\\u200d\\ufe00-\\ufe0f])\\p{DI}|(?:^|[\\u0000-\\u007f])\\p{DI}|[\\ufff9-\\ufffb]))(?!.*\\p{Surrogate})(?!\\s)(?!.*\\s$)[^/\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
    maxLength: 255,
    rule: '1 to 255 characters without control characters, "/" or a space at either end; no invisible characters',
  },
} as const;
