import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Checks that read the sources only. None needs what another makes, so they run at the same time. */
const CHECKS = ['lint', 'types', 'boundaries', 'sizes', 'spelling']

/** The tests wait for the checks: a processor that is shared with the compiler makes them slow where they wait. */
async function main(): Promise<number> {
  const failures = (await Promise.all(CHECKS.map(run))).filter((failure) => failure !== null)
  for (const { check, output } of failures) console.error(`\nnpm run ${check} failed:\n${output}`)
  if (failures.length > 0) return 1
  const tests = Bun.spawn([process.execPath, join(import.meta.dirname, 'run-tests.ts')], {
    cwd: ROOT,
    stdout: 'inherit',
    stderr: 'inherit',
  })
  const stop = () => tests.kill()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return tests.exited
}

interface Failure {
  readonly check: string
  readonly output: string
}

async function run(check: string): Promise<Failure | null> {
  const child = Bun.spawn(['npm', 'run', '--silent', check], { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
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
