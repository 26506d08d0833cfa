import { sdkModule } from './server/generate-sdk.ts';
import { routeGroups } from './server/routes/all-routes.ts';

// For `npm run generate`: what the SDK knows of the calls, on standard output.
process.stdout.write(sdkModule(routeGroups));
