// Asks the registry for known vulnerabilities: those of what is shipped are a failure, those of tools are told.
// With CORRAL_REQUIRE_AUDIT=1 it is also a failure if nobody answers.
import { spawnSync } from 'node:child_process';
import { shippedWorkspaces } from './shipped.mjs';

const shipped = ['--omit=dev', ...shippedWorkspaces.map((name) => `--workspace=${name}`)];
const severe = ['high', 'critical'];

const audit = (...args) => {
  const { stdout, error } = spawnSync('npm', ['audit', '--audit-level=high', '--json', ...args], { encoding: 'utf8' });
  if (error) throw error;
  try {
    return JSON.parse(stdout);
  } catch {
    return { message: 'npm audit did not answer in JSON' };
  }
};

/** The reason why there is no answer, if that is nobody's mistake here; null: there is one, or it is. */
const unanswered = ({ statusCode, message = '' }) => {
  if ([404, 405, 501].includes(statusCode)) return `this registry offers no audit (it answers ${statusCode})`;
  if (statusCode >= 500 || statusCode === 429) return `the registry cannot answer now (${statusCode})`;
  const [code] = /\b(ENOTFOUND|EAI_AGAIN|ECONN\w+|E\w*TIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/.exec(message) ?? [];
  return code === undefined ? null : `the registry cannot be reached (${code})`;
};

/** Severe vulnerabilities, a line each. */
const severeIn = ({ vulnerabilities }) =>
  Object.values(vulnerabilities)
    .filter(({ severity }) => severe.includes(severity))
    .map(({ name, severity, range, via, fixAvailable }) => {
      const titles = via.map((cause) =>
        typeof cause === 'string' ? `through ${cause}` : `${cause.title} ${cause.url}`,
      );
      return `${name} ${range} (${severity}${fixAvailable ? ', fix available' : ''}): ${titles.join('; ')}`;
    });

const end = (code, ...lines) => {
  for (const line of lines) (code === 0 ? console.log : console.error)(`audit: ${line}`);
  process.exit(code);
};

const ours = audit(...shipped);
const reason = unanswered(ours);
if (reason !== null) {
  const isRequired = process.env.CORRAL_REQUIRE_AUDIT === '1';
  end(isRequired ? 1 : 0, `nothing was checked: ${reason}${isRequired ? ', and CORRAL_REQUIRE_AUDIT is set' : ''}`);
}
if (ours.vulnerabilities === undefined) {
  end(1, `npm audit failed: ${ours.error?.summary || ours.message || 'it did not say why'}`);
}
const found = severeIn(ours);
if (found.length > 0) {
  end(1, ...found, 'these are shipped; update them, or what brings them');
}
const all = audit();
const others = all.vulnerabilities === undefined ? [] : severeIn(all);
end(0, ...others.map((line) => `(not shipped) ${line}`), 'no severe vulnerability is known in what is shipped');
