import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPrometheus } from '../../../scripts/tests/prometheus.ts'
import { eventually } from '../../support/eventually.ts'

export const RULES = join(import.meta.dirname, '../../../deploy/prometheus/rules')

export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: number
}

/** A Prometheus that asks one gateway every second. */
export interface PrometheusServer {
  query(expr: string): Promise<readonly Sample[]>
  labelValues(label: string, series: string): Promise<readonly string[]>
  /** Rules that could not be evaluated. */
  brokenRules(): Promise<readonly string[]>
  stop(): Promise<void>
}

export function freePort(): number {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  const { port } = probe
  probe.stop(true)
  return port
}

export async function startPrometheus(target: string): Promise<PrometheusServer> {
  const tools = findPrometheus()
  if (tools === null) throw new Error('Prometheus is not on this machine')
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-prometheus-'))
  const config = join(folder, 'prometheus.yaml')
  // JSON is YAML.
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [join(RULES, '*.yaml')],
      scrape_configs: [{ job_name: 'turnpike', static_configs: [{ targets: [target] }] }],
    }),
  )
  const port = freePort()
  const child = Bun.spawn(
    [
      tools.prometheus,
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdout: 'ignore', stderr: 'inherit' },
  )
  const url = `http://127.0.0.1:${port}`
  await eventually('Prometheus', async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}`)
    return (await fetch(`${url}/-/ready`).catch(() => null))?.ok
  })
  return {
    query: async (expr) => {
      const { result } = await ask<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
        `${url}/api/v1/query?query=${encodeURIComponent(expr)}`,
      )
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
    },
    labelValues: (label, series) =>
      ask<string[]>(`${url}/api/v1/label/${label}/values?match[]=${encodeURIComponent(series)}`),
    brokenRules: async () => {
      const { groups } = await ask<{ groups: { rules: { name: string; health: string }[] }[] }>(
        `${url}/api/v1/rules`,
      )
      return groups.flatMap(({ rules }) =>
        rules.filter(({ health }) => health !== 'ok').map(({ name }) => name),
      )
    },
    stop: async () => {
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function ask<Data>(url: string): Promise<Data> {
  const answer = (await (await fetch(url)).json()) as { status: string; error?: string; data: Data }
  if (answer.status !== 'success') throw new Error(`${answer.error} at ${decodeURIComponent(url)}`)
  return answer.data
}
