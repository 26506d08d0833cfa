import { type Calls, createClient } from '@corral/client';

/** The service that this page is from, as the person who is signed in here. */
export const corral = createClient({ endpoint: location.origin, retries: 1 });

export type Me = Calls['whoami']['reply'];
export type NodeOverview = Calls['nodesOverview']['reply']['nodes'][number];
export type NetworkOverview = Calls['networksOverview']['reply']['networks'][number];
export type SwitchOverview = Calls['switchesOverview']['reply']['switches'][number];
export type SwitchDetails = Calls['switchOverview']['reply'];
export type PortOverview = SwitchDetails['port_list'][number];
export type Reading = NonNullable<PortOverview['seen']>;
export type SwitchTest = Calls['switchTest']['reply'];
export type SwitchDrift = Calls['showDrift']['reply']['switches'][number];
export type Reach = Calls['networkReach']['reply'];
export type HeadnodeOverview = Calls['headnodesOverview']['reply']['headnodes'][number];
export type ProjectOverview = Calls['projectsOverview']['reply']['projects'][number];
export type Quota = Calls['listQuotas']['reply'][number];
export type ProjectQuota = Calls['listProjectQuotas']['reply'][number];
export type Subscription = Calls['listSubscriptions']['reply'][number];
export type DeadLetter = Calls['listDeadLetters']['reply'][number];
export type PendingAction = Calls['actionsOverview']['reply']['actions'][number];
export type Claim = Calls['listProjectClaims']['reply'][number];
export type Release = Calls['showRelease']['reply'];
export type Cleaning = Calls['listCleanings']['reply']['cleanings'][number];
export type CleaningStep = Calls['showCleaning']['reply']['steps'][number];
export type Token = Calls['listTokens']['reply'][number];
export type Session = Calls['listSessions']['reply'][number];
