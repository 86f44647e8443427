import { strict as assert } from 'node:assert'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkLedger } from '../nodes/support/check-ledger.ts'
import { Fleet, openAccount } from '../nodes/support/fleet.ts'
import { FleetLoad } from '../nodes/support/fleet-load.ts'
import { makeEmptyDatabase } from '../robustness/support/own-database.ts'
import { eventually } from '../support/eventually.ts'
import type { FaultScenario } from './scenario.ts'

const ROOT = join(import.meta.dirname, '../..')
const ENVIRONMENT = { TURNPIKE_LOG_LEVEL: 'error', TURNPIKE_DRAIN_SECONDS: '1' }

/**
 * A fleet of an older version is replaced node by node under load. The older version is `FAULTS_OLD_REF`, by default the
 * commit before the newest change of the schema, so that the old nodes meet a schema they do not know.
 */
export const mixedVersions: FaultScenario = {
  name: 'mixed-versions',
  about: 'nodes of an older version are replaced one by one; every answer is booked once',
  async run(context) {
    const old = checkOut(process.env.FAULTS_OLD_REF ?? findCommitBeforeSchema())
    const program = [process.execPath, join(old.path, 'src/main.ts')]
    // Empty, because the usual one for tests has the newest schema.
    const database = await makeEmptyDatabase()
    let fleet: Fleet | null = null
    try {
      if (database === null) throw new Error('This scenario needs PostgreSQL.')
      fleet = await Fleet.start({ size: 3, environment: ENVIRONMENT, program, databaseUrl: database.url })
      if (fleet === null) throw new Error('This scenario needs Redis.')
      const nodes = fleet
      const { secret } = await openAccount(nodes.first, {})
      const load = new FleetLoad(() => nodes.urls, { key: secret, clients: 6, pauseMs: 10 })
      await eventually('traffic', () => load.answered.length > 30)
      for (const index of nodes.nodes.keys()) {
        nodes.node(index).signal('SIGTERM')
        assert.equal(await nodes.node(index).exited, 0)
        await nodes.restart(index)
        const before = load.answered.length
        await eventually('traffic', () => load.answered.length > before + 60, 60_000)
        context.log(
          `  node ${index} is new: ${load.answered.length} answers, ${load.troubles.length} troubles`,
        )
      }
      await load.stop()
      const kinds = new Map<string, number>()
      for (const { what } of load.troubles) kinds.set(what, (kinds.get(what) ?? 0) + 1)
      context.log(`  troubles: ${JSON.stringify(Object.fromEntries(kinds))}`)
      await checkLedger(nodes, load.answered)
      context.log(`${load.answered.length} answers over the upgrade from ${old.commit} are booked once`)
    } finally {
      await fleet?.stop()
      await database?.drop()
      old.remove()
    }
  },
}

function git(...args: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(['git', '-C', ROOT, ...args])
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.toString()}`)
  return stdout.toString().trim()
}

function findCommitBeforeSchema(): string {
  const added = git('log', '-1', '--format=%H', '--diff-filter=A', '--', 'src/edges/storage/migrations')
  return `${added}^`
}

function checkOut(ref: string): { readonly path: string; readonly commit: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-old-'))
  const path = join(folder, 'program')
  git('worktree', 'add', '--detach', path, ref)
  symlinkSync(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  const commit = git('rev-parse', '--short', ref)
  return {
    path,
    commit,
    remove: () => {
      git('worktree', 'remove', '--force', path)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
