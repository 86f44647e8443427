import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DCLinter } from 'dclint'
import { fillIn, readEnvFile, readRootFile, readYaml, settingsOf } from './support/deploy-files.ts'

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly secrets?: readonly string[]
  readonly profiles?: readonly string[]
  readonly stop_grace_period?: string
  readonly healthcheck: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

const services = readYaml<{ readonly services: Readonly<Record<string, Service>> }>('compose.yaml')[0]
  ?.services
const GATEWAYS = ['gateway-1', 'gateway-2']
const EXAMPLE = 'deploy/compose/secrets.env.example'

/** Checks for schema errors and settings without effect, not for layout. */
const LINTER = new DCLinter({
  rules: {
    'require-project-name-field': 0,
    'require-quotes-in-ports': [2, { quoteType: 'double' }],
    'no-version-field': 2,
    'no-build-and-image': 0,
    'no-duplicate-exported-ports': 2,
    'no-duplicate-container-names': 2,
    'no-unbound-port-interfaces': 0,
    'service-image-require-explicit-tag': 2,
    'service-container-name-regex': 2,
    'service-dependencies-alphabetical-order': 0,
    'service-keys-order': 0,
    'service-ports-alphabetical-order': 0,
    'services-alphabetical-order': 0,
    'top-level-properties-order': 0,
  },
  quiet: false,
  debug: false,
  exclude: [],
})

function complaintsOf(text: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-compose-'))
  try {
    const path = join(folder, 'compose.yaml')
    writeFileSync(path, text)
    const [result] = LINTER.lintFiles([path], false)
    return (result?.messages ?? []).map(({ rule, message }) => `${rule}: ${message}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('compose.yaml', () => {
  test.each(['compose.yaml', 'deploy/compose/tls.yaml'])('%s is as its schema says', (path) => {
    // Of an overlay the linter sees only what it adds.
    const text =
      path === 'compose.yaml' ? readRootFile(path) : `${readRootFile(path)}    image: caddy:2.10.0-alpine\n`
    expect(complaintsOf(text)).toEqual([])
  })

  test('fails the linter when it is wrong', () => {
    const text = readRootFile('compose.yaml')
    expect(complaintsOf(text.replace('interval: 10s', 'intervall: 10s')).join()).toContain('invalid-schema')
    expect(complaintsOf(text.replace('caddy:2.10.0-alpine', 'caddy:latest'))).toHaveLength(1)
  })

  test.each(GATEWAYS)('%s gets valid settings from the example', (name) => {
    const settings = settingsOf(environmentOf(name, fillIn(readEnvFile(EXAMPLE))))
    expect(settings).toMatchObject({ nodeName: name, sandbox: 'auto', redisLoss: 'local', workers: 1 })
    expect(settings.databaseUrl).toContain('@postgres:5432/')
    expect(settings.redisUrl).toContain('@redis:6379')
    expect(seconds(service(name).stop_grace_period)).toBeGreaterThan(
      settings.drainSeconds + settings.shutdownSeconds,
    )
    expect(settings.drainSeconds).toBeGreaterThan(0)
  })

  test('does not start with the unchanged example', () => {
    expect(() => settingsOf(environmentOf('gateway-1', readEnvFile(EXAMPLE)))).toThrow('TURNPIKE_SECRET')
  })

  test('the example has every variable it needs, and no unused one', () => {
    const used = new Set(
      ['compose.yaml', 'deploy/compose/tls.yaml']
        .flatMap((path) => [...readRootFile(path).matchAll(/\$\{([A-Z_]+)/g)])
        .map(([, name = '']) => name),
    )
    expect(new Set(Object.keys(readEnvFile(EXAMPLE, { withSuggestions: true })))).toEqual(used)
  })

  test('each gateway has its own volume, no ports and no extra rights', () => {
    const volumes = GATEWAYS.map((name) => service(name).volumes?.[0])
    expect(new Set(volumes).size).toBe(GATEWAYS.length)
    for (const name of GATEWAYS) {
      expect(service(name)).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
      expect(service(name).ports).toBeUndefined()
    }
  })

  test('no service starts before its dependencies are healthy', () => {
    for (const [name, each] of Object.entries(services ?? {})) {
      expect([name, each.healthcheck.test[0]]).toEqual([name, 'CMD'])
      for (const [needed, how] of Object.entries(each.depends_on ?? {})) {
        expect(service(needed)).toBeDefined()
        expect(how.condition).toBe('service_healthy')
      }
    }
  })

  test('Redis evicts nothing and loads no old data', () => {
    const command = service('redis').command?.join(' ')
    expect(command).toContain('--maxmemory-policy noeviction')
    expect(command).toContain('--appendonly no')
    expect(command).toContain('--save  ')
  })

  test('Prometheus and Grafana find what they are given', () => {
    const [scraping] = readYaml<{
      rule_files: string[]
      scrape_configs: {
        authorization: { credentials_file: string }
        static_configs: { targets: string[] }[]
      }[]
    }>('deploy/prometheus/prometheus.yaml')
    const [job] = scraping?.scrape_configs ?? []
    expect(job?.static_configs[0]?.targets).toEqual(GATEWAYS.map((name) => `${name}:8080`))
    expect(job?.authorization.credentials_file).toBe(`/run/secrets/${service('prometheus').secrets?.[0]}`)
    const mounted = (name: string) => service(name).volumes?.map((volume) => volume.split(':')[1])
    expect(mounted('prometheus')).toContain(scraping?.rule_files[0]?.replace('/*.yaml', '') ?? '')
    const [provided] = readYaml<{ providers: { options: { path: string } }[] }>(
      'deploy/grafana/provisioning/dashboards/turnpike.yaml',
    )
    expect(mounted('grafana')).toContain(provided?.providers[0]?.options.path ?? '')
    // Only with --profile monitoring.
    for (const name of ['prometheus', 'grafana']) expect(service(name).profiles).toEqual(['monitoring'])
    for (const port of service('grafana').ports ?? []) expect(port).toStartWith('127.0.0.1:')
  })

  test('the load balancer lists every gateway', () => {
    const caddyfile = readRootFile('deploy/compose/Caddyfile')
    for (const name of GATEWAYS) expect(caddyfile).toContain(`${name}:8080`)
    expect(caddyfile).toContain('health_uri /readyz')
  })
})

function service(name: string): Service {
  const found = services?.[name]
  if (found === undefined) throw new Error(`there is no service ${name}`)
  return found
}

/** The variables of a service, with what Compose would put in for `${…}`. */
function environmentOf(name: string, values: Readonly<Record<string, string>>): Record<string, string> {
  const { environment = {} } = service(name)
  return Object.fromEntries(
    Object.entries(environment).map(([key, text]) => [key, substitute(String(text), values)]),
  )
}

function substitute(text: string, values: Readonly<Record<string, string>>): string {
  const reference = /\$\{(?<variable>[A-Z_]+):(?<kind>[-?])(?<rest>[^}]*)\}/g
  return [...text.matchAll(reference)].reduce((whole, { 0: written, groups }) => {
    const value = values[groups?.variable ?? ''] || (groups?.kind === '-' ? groups.rest : undefined)
    if (value === undefined) throw new Error(`${groups?.variable} ${groups?.rest}`)
    return whole.replace(written, value)
  }, text)
}

function seconds(duration = ''): number {
  return Number(/^(\d+)s$/.exec(duration)?.[1])
}
