import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { ROOT, readRootFile, readYaml } from './support/deploy-files.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<
    Record<string, { readonly 'timeout-minutes': number; readonly steps: readonly Step[] }>
  >
}

describe.each(readdirSync(join(ROOT, '.github/workflows')))('the workflow %s', (name) => {
  const path = `.github/workflows/${name}`
  const [workflow] = readYaml<Workflow>(path)
  const jobs = Object.values(workflow?.jobs ?? {})
  const steps = jobs.flatMap((job) => job.steps)

  test('may only read, unless a job says otherwise, and ends in time', () => {
    expect(workflow?.permissions).toEqual({ contents: 'read' })
    for (const job of jobs) expect(job['timeout-minutes']).toBeGreaterThan(0)
  })

  test('names actions with their version, and leaves no token in the clone', () => {
    for (const { uses, with: options } of steps.filter((step) => step.uses !== undefined)) {
      expect(uses).toMatch(/^[\w-]+\/[\w-]+@(v\d+|[0-9a-f]{40})$/)
      if (uses?.startsWith('actions/checkout@')) expect(options?.['persist-credentials']).toBe(false)
    }
  })

  test('runs scripts that exist', () => {
    const scripts = [...readRootFile(path).matchAll(/npm run (?:-s )?([\w-]+)/g)].map(([, script]) => script)
    for (const script of scripts) expect(Object.keys(packageFile.scripts)).toContain(script ?? '')
  })
})
