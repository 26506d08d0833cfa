import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '@corral/base/config/config-error';
import { Outbound } from '@corral/base/http/outbound';
import { unknownVariables, variableOf } from '@corral/base/config/setting';
import { loadConfig } from '../../src/config/load-service-config.ts';
import { settings } from '../../src/config/service-settings.ts';

/** A configuration file, by its text. */
const toml = (text: string): string => {
  const directory = mkdtempSync(join(tmpdir(), 'corral-config-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'corral.toml');
  writeFileSync(file, text);
  return file;
};

/** What is wrong with a configuration, a line each. */
const mistakesIn = (env: Readonly<Record<string, string>>): readonly string[] => {
  try {
    loadConfig(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { mistakes } = error as ConfigError;
    for (const mistake of mistakes) expect(mistake).not.toContain('\n');
    return mistakes;
  }
  return [];
};

describe('the configuration', () => {
  it('needs nothing: everything has a default', () => {
    expect(loadConfig({})).toEqual({
      host: '127.0.0.1',
      port: 5000,
      role: 'all',
      processes: 1,
      dataDir: resolve('data'),
      database: { engine: 'sqlite', path: resolve('data/corral.db') },
      auth: ['database'],
      requireAuthentication: false,
      identity: {
        sessionLifetimeMs: 43_200_000,
        sessionIdleMs: 7_200_000,
        tokenLongestMs: 31_622_400_000,
        tokenDefaultMs: 7_776_000_000,
        vouchedMs: 86_400_000,
      },
      adminPassword: null,
      vlans: [{ first: 100, last: 1000 }],
      maintenance: null,
      classKey: 'class',
      cleaning: {
        enabled: false,
        steps: [],
        stepDeadlineMs: 3_600_000,
        deadlineMs: 900_000,
        bootdev: 'none',
        atOnce: 20,
        boot: { network: '', nics: [], device: 'pxe' },
        checkWiring: false,
        publicUrl: null,
        webhookSecrets: [],
      },
      keyFile: resolve('data/secret.key'),
      hypervisor: 'none',
      images: ['base'],
      libvirt: {
        uri: 'qemu:///system',
        pool: 'default',
        network: { kind: 'bridges', uplink: null },
        vncHost: '127.0.0.1',
        memoryMib: 1024,
        cpus: 1,
        timeoutMs: 30_000,
      },
      logLevel: 'info',
      releasePatienceMs: 300_000,
      engine: {
        budgetMs: 60_000,
        deviceTimeoutMs: 15_000,
        leaseMs: 4_000,
        pollMs: 2_000,
        sweepMs: 300_000,
        saveDelayMs: 5_000,
        lateWriteMs: 120_000,
        sessionIdleMs: 30_000,
      },
      history: { eventsMs: null, actionsMs: null, exportDir: null },
      webhooks: { projectTargets: null, timeoutMs: 10_000, giveUpMs: 86_400_000, ca: null },
      mail: null,
      obm: { timeoutMs: 20_000, ca: null },
      outbound: expect.any(Outbound) as Outbound,
      deviceLimits: { changes: 600, calls: 8 },
      http: {
        tls: null,
        metrics: 'loopback',
        trustedProxies: null,
        corsOrigins: [],
        limits: { rate: 200, connections: 4096, connectionsPerAddress: 512, streamsPerAddress: 100 },
      },
      keystone: null,
      oidc: null,
      idleBackends: [],
      publicUrl: null,
      obmd: null,
      hasSiblingObmd: false,
      extensions: [],
    });
  });

  it('comes from a file', () => {
    const CORRAL_CONFIG = toml(`
      host = "0.0.0.0"
      port = 8080
      data_dir = "/srv/corral"
      vlans = "200-210, 500"
      require_authentication = true
      images = ["base", "ubuntu"]
      database_url = "postgres://corral@db/corral"
      database_connections = 25
      [maintenance]
      project = "repair"
      url = "https://maintenance.example/nodes"
      [engine]
      budget = 30
      lease = 0.5
    `);
    expect(loadConfig({ CORRAL_CONFIG })).toMatchObject({
      host: '0.0.0.0',
      port: 8080,
      dataDir: '/srv/corral',
      keyFile: '/srv/corral/secret.key',
      database: { engine: 'postgres', url: 'postgres://corral@db/corral', connections: 25 },
      vlans: [
        { first: 200, last: 210 },
        { first: 500, last: 500 },
      ],
      requireAuthentication: true,
      images: ['base', 'ubuntu'],
      maintenance: { project: 'repair', url: 'https://maintenance.example/nodes' },
      engine: { budgetMs: 30_000, leaseMs: 500 },
    });
  });

  it('is overruled by the environment; an empty variable says nothing', () => {
    const CORRAL_CONFIG = toml('host = "0.0.0.0"\nport = 8080');
    expect(loadConfig({ CORRAL_CONFIG, CORRAL_PORT: '9090', CORRAL_HOST: '' })).toMatchObject({
      host: '0.0.0.0',
      port: 9090,
    });
    expect(loadConfig({ CORRAL_CONFIG: '', CORRAL_PORT: '9090' }).port).toBe(9090);
  });

  it('has every setting in the file and in the environment, under one name each', () => {
    const variables = Object.entries(settings).map(([key, setting]) => [key, variableOf(key, setting)] as const);
    expect(new Set(variables.map(([, variable]) => variable)).size).toBe(variables.length);
    for (const [key, variable] of variables) {
      expect(variable).toBe(`CORRAL_${key.replace('.listen', '').replace('.', '_').toUpperCase()}`);
    }
  });

  it.each([
    ['/srv/corral.db', '/srv/corral.db'],
    ['sqlite:/srv/corral.db', '/srv/corral.db'],
    ['sqlite:///srv/corral.db', '/srv/corral.db'],
    ['file:/srv/corral.db', '/srv/corral.db'],
    ['corral.db', resolve('corral.db')],
  ])('takes %s for an embedded database', (CORRAL_DATABASE_URL, path) => {
    expect(loadConfig({ CORRAL_DATABASE_URL }).database).toEqual({ engine: 'sqlite', path });
  });

  it.each(['postgres://u:p@h:5432/d', 'postgresql://h/d'])('takes %s for PostgreSQL', (url) => {
    expect(loadConfig({ CORRAL_DATABASE_URL: url }).database).toEqual({ engine: 'postgres', url, connections: 10 });
  });

  it.each([
    ['CORRAL_PORT', 'eighty', 'a whole number from 0 to 65535'],
    ['CORRAL_PORT', '65536', 'a whole number from 0 to 65535'],
    ['CORRAL_PORT', '-1', 'a whole number from 0 to 65535'],
    ['CORRAL_PORT', '80.5', 'a whole number from 0 to 65535'],
    ['CORRAL_PORT', ' ', 'a whole number from 0 to 65535'],
    ['CORRAL_DATABASE_CONNECTIONS', '1', 'a whole number from 2 to 1000'],
    ['CORRAL_REQUIRE_AUTHENTICATION', 'yes', 'false or true'],
    ['CORRAL_VLANS', '0-10', 'ids from 1 to 4094'],
    ['CORRAL_VLANS', '4000-4095', 'ids from 1 to 4094'],
    ['CORRAL_VLANS', '20-10', 'ids from 1 to 4094'],
    ['CORRAL_VLANS', 'all', 'ids from 1 to 4094'],
    ['CORRAL_VLANS', '100,,200', 'ids from 1 to 4094'],
    ['CORRAL_LOG_LEVEL', 'loud', 'trace or debug'],
    ['CORRAL_ENGINE_BUDGET', '0', 'seconds from 0.05 to 3600'],
    ['CORRAL_ENGINE_SWEEP', '0.01', 'seconds from 0.05 to 86400'],
    ['CORRAL_ENGINE_SAVE_DELAY', '0', 'seconds from 0.05 to 3600'],
    ['CORRAL_OBM_TIMEOUT', 'long', 'seconds from 0.05 to 3600'],
  ])('refuses %s=%j, and says what would be accepted', (name, value, expected) => {
    expect(mistakesIn({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: ${JSON.stringify(value)} is invalid; expected ${expected}`)),
    ]);
  });

  it.each(['mysql://u:hidden@h/d', 'postgres://u:hidden@[', 'sqlite:'])(
    'refuses the database %s without repeating it, for it may hold a password',
    (CORRAL_DATABASE_URL) => {
      const mistakes = mistakesIn({ CORRAL_DATABASE_URL });
      expect(mistakes).toEqual([
        expect.stringMatching(/^CORRAL_DATABASE_URL: .*expected a path, sqlite:PATH or postgres:/),
      ]);
      expect(mistakes.join()).not.toContain('hidden');
    },
  );

  it('tells every mistake at once, a line each, wherever it was made', () => {
    const CORRAL_CONFIG = toml(
      'prot = 80\nvlans = "none"\nport = "x"\n[engine]\nspeed = 9\nlease = [1]\n[extra]\na = 1',
    );
    const mistakes = mistakesIn({ CORRAL_CONFIG, CORRAL_LOG_LEVEL: 'loud', CORRAL_MAINTENANCE_PROJECT: 'repair' });
    expect([...mistakes].sort()).toEqual([
      expect.stringMatching(/^CORRAL_LOG_LEVEL: "loud"/),
      expect.stringMatching(/^engine\.lease in .*corral\.toml:6:9: expected seconds from 0\.05 to 3600/),
      expect.stringMatching(/^engine\.speed in .*corral\.toml:5:1: unknown setting/),
      expect.stringMatching(/^extra in .*corral\.toml:7:2: unknown setting/),
      expect.stringMatching(/^maintenance: the project and the URL must be given together/),
      expect.stringMatching(/^port in .*corral\.toml:3:8: "x" is invalid/),
      expect.stringMatching(/^prot in .*corral\.toml:1:1: unknown setting/),
      expect.stringMatching(/^vlans in .*corral\.toml:2:9: "none" is invalid/),
    ]);
  });

  it.each([
    ['a list of several lines', 'images = [ # port = 1\n  "base",\n\n  "other",\n]\nport = "x"', '6:8'],
    ['a text of several lines', 'data_dir = """\nport = 1\n[engine]\n"""\nport = "x"', '5:8'],
    ['comments, empty lines and another table', '# port = 1\n\n[engine] # port\n[obmd]\nport = 1', '5:1', 'obmd.port'],
    ['the same name in another table', 'port = 80\n[engine]\nlease = 1\nport = 1', '4:1', 'engine.port'],
    ['lines that end as on Windows', 'host = "::1"\r\n\r\nport = "x"\r\n', '3:8'],
    ['a dotted name', 'host = "::1"\nengine.lease = "x"', '2:16', 'engine.lease'],
    ['a quoted name', 'host = "::1"\n"port" = "x"', '2:10'],
    ['an inline table', 'host = "::1"\nengine = { budget = 1, lease = "x" }', '2:32', 'engine.lease'],
    [
      'a table in the middle of its own',
      'host = "::1"\n[engine]\nbudget = 1\n[engine.deep]\na = 1',
      '4:2',
      'engine.deep',
    ],
    ['a value that begins on its line', 'host = "::1"\nport = [\n  1,\n]', '2:8'],
    ['a list of tables', 'host = "::1"\n[[port]]\na = 1\n[[port]]\na = 2', '2:3'],
    ['a list of more lines than a screen has', `images = [\n${'  "base",\n'.repeat(200)}]\n  port = "x"`, '203:10'],
    ['quotes and brackets in texts', `host = '"[{'\ndata_dir = "\\"]}#" # ]\nport = "x"`, '3:8'],
    ['quotes at the end of a text of several lines', 'data_dir = """a"""""\nport = "x"', '2:8'],
    ['an inline table in a list', 'images = [ { port = 1 }, [ "#", "]" ] ] # [\nport = "x"', '2:8'],
    ['spaces in a dotted name', '  engine . "lease" =  "x"', '1:23', 'engine.lease'],
  ])('names the line and the column of a mistake behind %s', (_what, text, place, key = 'port') => {
    const mistakes = mistakesIn({ CORRAL_CONFIG: toml(text) });
    expect(mistakes).toContainEqual(
      expect.stringMatching(new RegExp(`^${key.replace('.', '\\.')} in .*corral\\.toml:${place}: `)),
    );
  });

  it('tells in one line of a file that is missing or no TOML', () => {
    expect(mistakesIn({ CORRAL_CONFIG: '/nowhere/corral.toml' })).toEqual([
      'CORRAL_CONFIG: /nowhere/corral.toml: no such file',
    ]);
    const CORRAL_CONFIG = toml('host = \n= "');
    expect(mistakesIn({ CORRAL_CONFIG })).toEqual([expect.stringMatching(/^CORRAL_CONFIG: .*corral\.toml:1:\d+: \S+/)]);
  });

  it.each(['__proto__ = 1', '[constructor]\na = 1', '"a\\nb" = 1'])('knows no setting in %j', (text) => {
    expect(mistakesIn({ CORRAL_CONFIG: toml(text) })).toEqual([expect.stringContaining('unknown setting')]);
  });

  describe('of libvirt', () => {
    it.each([
      ['bridges', { kind: 'bridges', uplink: null }],
      ['bridges:eno1', { kind: 'bridges', uplink: 'eno1' }],
      ['ovs:br-int', { kind: 'ovs', bridge: 'br-int' }],
    ])('takes the network %s', (CORRAL_LIBVIRT_NETWORK, network) => {
      expect(loadConfig({ CORRAL_LIBVIRT_NETWORK }).libvirt.network).toEqual(network);
    });

    it.each([
      ['CORRAL_LIBVIRT_URI', 'qemu+ssh://h/system?command=evil', '"qemu:///system"'],
      ['CORRAL_LIBVIRT_URI', '--help', '"qemu:///system"'],
      ['CORRAL_LIBVIRT_POOL', '-p', 'the name of a storage pool'],
      ['CORRAL_LIBVIRT_NETWORK', 'ovs', '`ovs:BRIDGE`'],
      ['CORRAL_LIBVIRT_NETWORK', 'ovs:a b', '`ovs:BRIDGE`'],
      ['CORRAL_LIBVIRT_NETWORK', 'bridges:', '`ovs:BRIDGE`'],
      ['CORRAL_LIBVIRT_NETWORK', "bridges:'/><evil/>", '`ovs:BRIDGE`'],
      ['CORRAL_LIBVIRT_NETWORK', 'bridges:an-interface-name', '`ovs:BRIDGE`'],
      ['CORRAL_LIBVIRT_NETWORK', 'macvtap', '`ovs:BRIDGE`'],
      ['CORRAL_LIBVIRT_VNC_HOST', '0.0.0.0', 'one address of the hypervisor'],
      ['CORRAL_LIBVIRT_VNC_HOST', 'hv1', 'one address of the hypervisor'],
      ['CORRAL_LIBVIRT_MEMORY', '8', 'a whole number from 16'],
      ['CORRAL_LIBVIRT_CPUS', '0.5', 'a whole number from 1'],
    ])('refuses %s=%j in one line', (name, value, expected) => {
      expect(mistakesIn({ [name]: value })).toEqual([
        expect.stringContaining(`${name}: ${JSON.stringify(value)} is invalid; expected ${expected}`),
      ]);
    });

    it('takes names of images that virsh cannot mistake, if it is to run headnodes', () => {
      for (const CORRAL_IMAGES of ['base, 7', '--all', 'a b', "x'y"]) {
        expect(loadConfig({ CORRAL_IMAGES }).images).toHaveLength(CORRAL_IMAGES.split(',').length);
        expect(mistakesIn({ CORRAL_IMAGES, CORRAL_HYPERVISOR: 'libvirt' })).toEqual([
          expect.stringMatching(/^CORRAL_IMAGES: .* is invalid; expected names of domains or volumes/),
        ]);
      }
    });

    it('makes bridges on its own host only', () => {
      const CORRAL_LIBVIRT_NETWORK = 'bridges:eno1';
      const remote = { CORRAL_LIBVIRT_URI: 'qemu+ssh://hv1/system' };
      expect(mistakesIn({ ...remote, CORRAL_LIBVIRT_NETWORK })).toEqual([
        expect.stringMatching(/^libvirt\.network: bridges are made on this host only/),
      ]);
      expect(mistakesIn(remote)).toEqual([]);
      expect(mistakesIn({ CORRAL_LIBVIRT_NETWORK, CORRAL_LIBVIRT_URI: 'qemu+unix:///system?socket=/run/x' })).toEqual(
        [],
      );
    });
  });

  it('takes the null backend only when asked for, and only on a loopback address', () => {
    for (const CORRAL_HOST of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) {
      expect(loadConfig({ CORRAL_AUTH: 'null', CORRAL_HOST }).auth).toEqual(['null']);
    }
    for (const CORRAL_HOST of ['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com', '127.evil']) {
      expect(mistakesIn({ CORRAL_AUTH: 'null', CORRAL_HOST })).toEqual([
        expect.stringMatching(
          /^auth: "null" gives every client administrative access, so host must be a loopback address/,
        ),
      ]);
      expect(loadConfig({ CORRAL_HOST }).auth).toEqual(['database']);
    }
  });

  describe('of a maintenance pool', () => {
    const url = 'http://maintenance.example/nodes';

    it('needs a project and a URL: both or neither', () => {
      expect(loadConfig({ CORRAL_MAINTENANCE_PROJECT: 'repair', CORRAL_MAINTENANCE_URL: url }).maintenance).toEqual({
        project: 'repair',
        url,
      });
      for (const env of [{ CORRAL_MAINTENANCE_PROJECT: 'repair' }, { CORRAL_MAINTENANCE_URL: url }]) {
        expect(mistakesIn(env)).toEqual([
          'maintenance: the project and the URL must be given together; give both, or neither',
        ]);
      }
    });

    it.each(['admin', 'a/b', ' a', 'a ', 'a\nb', 'x'.repeat(256)])('needs a label: not %j', (project) => {
      expect(mistakesIn({ CORRAL_MAINTENANCE_PROJECT: project, CORRAL_MAINTENANCE_URL: url })).toEqual([
        expect.stringMatching(/^maintenance\.project: ".+" is invalid; expected 1 to 255 characters/),
      ]);
    });

    it.each(['maintenance.example', 'ftp://maintenance.example', 'http://', 'http://a b'])(
      'needs an http or https address: not %j',
      (address) => {
        expect(mistakesIn({ CORRAL_MAINTENANCE_PROJECT: 'repair', CORRAL_MAINTENANCE_URL: address })).toEqual([
          expect.stringMatching(/^maintenance\.url: ".+" is invalid; expected an http or https address/),
        ]);
      },
    );
  });

  it('refuses an empty password for the first administrator', () => {
    expect(mistakesIn({ CORRAL_CONFIG: toml('admin_password = ""') })).toEqual([
      expect.stringMatching(/^admin_password in .*: the value given is invalid; expected 1 to 1024 characters/),
    ]);
    expect(mistakesIn({ CORRAL_ADMIN_PASSWORD: 'x'.repeat(1025) })).toHaveLength(1);
    expect(loadConfig({ CORRAL_ADMIN_PASSWORD: '' }).adminPassword).toBeNull();
    expect(loadConfig({ CORRAL_ADMIN_PASSWORD: ' p ' }).adminPassword).toBe(' p ');
  });

  it('notices variables that look like its own and are not', () => {
    const env = { CORRAL_PROT: '80', CORRAL_PORT: '80', CORRAL_CONFIG: '', CORRAL_ENDPOINT: 'http://x', PATH: '/bin' };
    expect(unknownVariables(env, settings)).toEqual(['CORRAL_PROT']);
  });

  it('has steps of the site for nodes that leave a project, and refuses those that could not be done', () => {
    const { cleaning } = loadConfig({
      CORRAL_CONFIG: toml(`public_url = "https://corral.example.org"
[cleaning]
steps = ["check command /usr/bin/check --strict x", "wipe webhook https://wipe.example.org/start"]
`),
    });
    expect(cleaning.steps).toEqual([
      { kind: 'command', name: 'check', program: '/usr/bin/check', args: ['--strict', 'x'] },
      { kind: 'webhook', name: 'wipe', url: 'https://wipe.example.org/start' },
    ]);
    const mistakes = (steps: string, more = {}) => mistakesIn({ CORRAL_CLEANING_STEPS: steps, ...more });
    for (const wrong of [
      'check command bin/check',
      'check',
      'Check command /bin/true',
      'w webhook ftp://x',
      'w mail x',
    ]) {
      expect(mistakes(wrong)).toEqual([expect.stringContaining('is invalid; expected a list of steps') as string]);
    }
    expect(mistakes('a command /bin/true,a command /bin/false')).toEqual([
      'CORRAL_CLEANING_STEPS: "a" is invalid; expected a different name for each step',
    ]);
    expect(mistakes('ports command /bin/true')).toEqual([expect.stringContaining('a name other than power') as string]);
    expect(mistakes('wipe webhook https://wipe.example.org')).toEqual([
      'cleaning.steps: wipe: a webhook reports its result to public_url, which is not set',
    ]);
    const at = { CORRAL_PUBLIC_URL: 'https://c.example.org' };
    expect(mistakes('wipe boot https://boot.example.org', at)).toEqual([
      'cleaning.steps: wipe: a boot needs cleaning.boot_network, which is not set',
    ]);
    expect(mistakes('wipe webhook https://wipe.example.org', { ...at, CORRAL_CLEANING_CHECK_WIRING: 'true' })).toEqual([
      'cleaning.check_wiring: the wiring is checked after a boot, and no step of cleaning.steps is one',
    ]);
    const booting = { ...at, CORRAL_CLEANING_BOOT_NETWORK: 'cleaning', CORRAL_CLEANING_BOOT_NICS: 'eth0, eth1' };
    expect(mistakes('wipe boot https://boot.example.org, wipe-off command /bin/true', booting)).toEqual([
      expect.stringContaining('a different name for each step') as string,
    ]);
    const boots = loadConfig({ ...booting, CORRAL_CLEANING_STEPS: 'wipe boot https://boot.example.org' }).cleaning;
    expect(boots.steps).toEqual([{ kind: 'boot', name: 'wipe', url: 'https://boot.example.org' }]);
    expect(boots.boot).toEqual({ network: 'cleaning', nics: ['eth0', 'eth1'], device: 'pxe' });
    const [one, other] = [24, 64].map((size) => `whsec_${Buffer.alloc(size, 7).toString('base64')}`);
    const secrets = (given: string) => ({ CORRAL_CLEANING_WEBHOOK_SECRET: given });
    expect(loadConfig(secrets(`${one} ${other}`)).cleaning.webhookSecrets).toEqual([one, other]);
    const short = `whsec_${Buffer.alloc(23).toString('base64')}`;
    for (const wrong of ['secret', 'whsec_', `${one}x`, `${one}=`, short, `${one} ${one} ${one}`]) {
      expect(mistakesIn(secrets(wrong))).toEqual([
        expect.stringMatching(/the value given is invalid; expected whsec_ and/) as string,
      ]);
    }
    const elsewhere = { CORRAL_PUBLIC_URL: 'https://c.example.org', CORRAL_OUTBOUND_ALLOW: '192.0.2.0/24' };
    expect(mistakes('wipe webhook http://198.51.100.1/', elsewhere)).toEqual([
      expect.stringContaining('cleaning.steps: wipe: ') as string,
    ]);
  });
});
