import { join } from 'node:path'
import { npmCommand } from './release/npm-command.ts'
import { WHEN_TOLD } from './tests/when-told.ts'

const ROOT = join(import.meta.dirname, '..')

/** Checks that read the sources only. None needs what another makes, so they run at the same time. */
const CHECKS = ['lint', 'types:gateway', 'types:console', 'boundaries', 'sizes', 'spelling']

/**
 * The tests wait for the checks: a processor that is shared with the compiler makes them slow where they wait. What they
 * need, such as a database, is prepared meanwhile.
 */
async function main(): Promise<number> {
  const tests = Bun.spawn([process.execPath, join(import.meta.dirname, 'run-tests.ts'), WHEN_TOLD], {
    cwd: ROOT,
    stdin: 'pipe',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  const stop = () => tests.kill()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const failures = (await Promise.all(CHECKS.map(run))).filter((failure) => failure !== null)
  if (failures.length === 0) await tests.stdin.write('begin\n')
  await tests.stdin.end()
  const exitCode = await tests.exited
  for (const { check, output } of failures) console.error(`\nnpm run ${check} failed:\n${output}`)
  return exitCode
}

interface Failure {
  readonly check: string
  readonly output: string
}

async function run(check: string): Promise<Failure | null> {
  const child = Bun.spawn(npmCommand('run', '--silent', check), { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (exitCode !== 0) return { check, output: `${stdout}${stderr}` }
  console.log(`npm run ${check} passed`)
  return null
}

process.exit(await main())
