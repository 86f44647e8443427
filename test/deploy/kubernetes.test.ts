import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StatefulSet } from 'kubernetes-types/apps/v1'
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2'
import type { Service } from 'kubernetes-types/core/v1'
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1'
import { parseAllDocuments } from 'yaml'
import { Metrics } from '../../src/edges/telemetry/metrics/metrics.ts'
import { renderReadings } from '../../src/edges/telemetry/metrics/readings.ts'
import { fillIn, ROOT, readEnvFile, readYaml, settingsOf } from './support/deploy-files.ts'

const FOLDER = 'deploy/kubernetes'

interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

/** Where the types of a kind are. They are made from the API description that Kubernetes publishes. */
const TYPES: Readonly<Record<string, string>> = {
  'apps/v1': 'apps/v1',
  'autoscaling/v2': 'autoscaling/v2',
  'networking.k8s.io/v1': 'networking/v1',
  'policy/v1': 'policy/v1',
  v1: 'core/v1',
}

const isKustomize = ({ apiVersion }: Resource) => apiVersion.startsWith('kustomize.config.k8s.io/')

const FILES = ['base', 'components/ingress', 'components/monitoring'].flatMap((folder) =>
  readdirSync(join(ROOT, FOLDER, folder))
    .filter((name) => name.endsWith('.yaml') && name !== 'prometheus-adapter-values.yaml')
    .map((name) => `${FOLDER}/${folder}/${name}`),
)
const RESOURCES = FILES.flatMap((path) => readYaml<Resource>(path)).filter((each) => !isKustomize(each))

describe('the manifests', () => {
  test('fit the Kubernetes API, to the last field', () => {
    expect(complaintsOf(RESOURCES)).toEqual([])
  })

  test('are refused when a field is misspelt, missing or of the wrong type', () => {
    const set = find<StatefulSet & Resource>('StatefulSet')
    const misspelt = { ...set, spec: { ...set.spec, podManagmentPolicy: 'Parallel' } }
    const { serviceName: _, ...incomplete } = set.spec ?? {}
    const mistyped = { ...set, spec: { ...set.spec, minReadySeconds: '5' } }
    for (const wrong of [misspelt, { ...set, spec: incomplete }, mistyped]) {
      expect(complaintsOf([wrong])).toHaveLength(1)
    }
  })

  test.skipIf(Bun.which('kubectl') === null)('are rendered by kustomize as they are written', () => {
    const child = Bun.spawnSync(['kubectl', 'kustomize', join(ROOT, FOLDER, 'example')])
    expect(child.stderr.toString()).toBe('')
    const rendered = parseAllDocuments(child.stdout.toString()).map((each) => each.toJS() as Resource)
    const kindsOf = (resources: readonly Resource[]) => resources.map(({ kind }) => kind).sort()
    expect(kindsOf(rendered)).toEqual([...kindsOf(RESOURCES), 'ConfigMap'].sort())
    expect(complaintsOf(rendered)).toEqual([])
  })

  test('each folder lists every file it has', () => {
    for (const folder of ['base', 'components/ingress', 'components/monitoring']) {
      const [{ resources } = { resources: [] }] = readYaml<{ readonly resources: readonly string[] }>(
        `${FOLDER}/${folder}/kustomization.yaml`,
      )
      const there = FILES.filter((path) => path.startsWith(`${FOLDER}/${folder}/`))
        .map((path) => path.slice(`${FOLDER}/${folder}/`.length))
        .filter((name) => name !== 'kustomization.yaml')
      expect([...resources].sort()).toEqual(there.sort())
    }
  })
})

describe('the pods', () => {
  const set = find<StatefulSet & Resource>('StatefulSet')
  const pod = set.spec?.template.spec
  const container = pod?.containers[0]
  const environment = {
    ...readEnvFile(`${FOLDER}/base/turnpike.env`),
    ...fillIn(readEnvFile(`${FOLDER}/secrets.env.example`)),
  }

  test('get valid settings', () => {
    const settings = settingsOf({ ...environment, TURNPIKE_NODE_NAME: 'turnpike-0' })
    expect(settings).toMatchObject({ hostname: '0.0.0.0', port: 8080, dataFolder: '/data', sandbox: 'off' })
    expect(container?.env?.map(({ name }) => name)).toEqual(['TURNPIKE_NODE_NAME'])
    expect(container?.ports?.[0]?.containerPort).toBe(settings.port)
    expect(container?.volumeMounts).toEqual([{ name: 'data', mountPath: settings.dataFolder }])
  })

  test('refuse the secrets of the example', () => {
    const secrets = readEnvFile(`${FOLDER}/secrets.env.example`)
    expect(() => settingsOf({ ...environment, ...secrets })).toThrow('TURNPIKE_SECRET')
  })

  test('get enough time to drain', () => {
    const { drainSeconds, shutdownSeconds } = settingsOf(environment)
    expect(drainSeconds).toBeGreaterThan(0)
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + shutdownSeconds)
    const { periodSeconds = 10, failureThreshold = 3 } = container?.readinessProbe ?? {}
    expect(drainSeconds).toBeGreaterThan(periodSeconds * failureThreshold)
  })

  test('have a journal that fits into its volume', () => {
    const size = set.spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.storage
    const gibibytes = Number(/^(\d+)Gi$/.exec(String(size))?.[1])
    expect(settingsOf(environment).journalMaxBytes).toBeLessThan((gibibytes * 1024 ** 3) / 2)
  })

  test('run with minimal rights', () => {
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532, fsGroup: 65_532 })
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('are probed at existing endpoints', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container ?? {}
    const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet?.path)
    expect(paths).toEqual(['/healthz', '/healthz', '/readyz'])
  })

  test('match every selector that refers to them', () => {
    const labels = set.spec?.template.metadata?.labels ?? {}
    const services = RESOURCES.filter(({ kind }) => kind === 'Service') as (Service & Resource)[]
    const selectors = [
      set.spec?.selector.matchLabels,
      ...services.map(({ spec }) => spec?.selector),
      find<PodDisruptionBudget & Resource>('PodDisruptionBudget').spec?.selector?.matchLabels,
      find<NetworkPolicy & Resource>('NetworkPolicy').spec?.podSelector?.matchLabels,
    ]
    for (const selector of selectors) expect(labels).toMatchObject(selector ?? { missing: 'selector' })
    expect(services.map(({ metadata }) => metadata.name)).toContain(set.spec?.serviceName ?? '')
    const backend = find<Ingress & Resource>('Ingress').spec?.rules?.[0]?.http?.paths[0]?.backend.service
    expect(services.map(({ metadata }) => metadata.name)).toContain(backend?.name ?? '')
  })
})

describe('the autoscaler', () => {
  const scaler = find<HorizontalPodAutoscaler & Resource>('HorizontalPodAutoscaler')

  test('scales by the gateway’s stream metric first and CPU second', () => {
    const [first, second] = scaler.spec?.metrics ?? []
    const started = { residentBytes: 0, cpuSeconds: 0, startedAtSeconds: 0, version: '1' }
    const gauges = { liveStreams: 3, journalWaiting: 0, process: started }
    expect(renderReadings(new Metrics().read(gauges))).toContain(`\n${first?.pods?.metric.name} 3\n`)
    expect(second?.resource?.name).toBe('cpu')
  })

  test('scales an existing deployment, to at least two pods', () => {
    const set = find<StatefulSet & Resource>('StatefulSet')
    expect(scaler.spec?.scaleTargetRef).toEqual({
      apiVersion: set.apiVersion,
      kind: set.kind,
      name: set.metadata.name,
    })
    expect(set.spec?.replicas).toBeUndefined()
    expect(scaler.spec?.minReplicas).toBeGreaterThanOrEqual(2)
  })
})

function find<T extends Resource>(kind: string): T {
  const found = RESOURCES.find((resource) => resource.kind === kind)
  if (found === undefined) throw new Error(`there is no ${kind}`)
  return found as T
}

/**
 * What the compiler says when each resource is given the type of its kind. Unlike the validators on npm, it also finds
 * fields that do not exist. ServiceMonitor is not part of Kubernetes and has no type here.
 */
function complaintsOf(resources: readonly Resource[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-manifests-'))
  try {
    const known = resources.filter(({ apiVersion }) => apiVersion in TYPES)
    const lines = known.map((resource, index) => {
      const type = `import('kubernetes-types/${TYPES[resource.apiVersion]}').${resource.kind}`
      return `export const resource${index}: ${type} = ${JSON.stringify(resource)}`
    })
    writeFileSync(join(folder, 'resources.ts'), lines.join('\n'))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(COMPILER_SETTINGS))
    const tsc = Bun.spawnSync([join(ROOT, 'node_modules/.bin/tsc'), '--noEmit', '--project', folder])
    return tsc.stdout
      .toString()
      .split('\n')
      .filter((line) => line.includes('error TS'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const COMPILER_SETTINGS = {
  compilerOptions: {
    strict: true,
    skipLibCheck: true,
    module: 'Preserve',
    moduleResolution: 'bundler',
    types: [],
    lib: ['ESNext'],
    paths: { 'kubernetes-types/*': [join(ROOT, 'node_modules/kubernetes-types/*')] },
  },
}
