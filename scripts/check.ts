import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Checks that read the sources only. None needs what another makes, so they run beside the tests. */
const CHECKS = ['lint', 'types', 'boundaries', 'sizes']

/**
 * Runs the checks one after the other while the tests run: the tests often wait, which leaves the processors to them.
 * A check that fails ends the tests, because its fix is what you want to do next.
 */
async function main(): Promise<number> {
  const tests = Bun.spawn([process.execPath, join(import.meta.dirname, 'run-tests.ts')], {
    cwd: ROOT,
    stdout: 'inherit',
    stderr: 'inherit',
  })
  const stop = () => tests.kill()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const failed = await findFailure()
  if (failed !== null) stop()
  const testsCode = await tests.exited
  if (failed === null) return testsCode
  console.error(`\nnpm run ${failed.check} failed:\n${failed.output}`)
  return 1
}

interface Failure {
  readonly check: string
  readonly output: string
}

async function findFailure(): Promise<Failure | null> {
  for (const check of CHECKS) {
    const child = Bun.spawn(['npm', 'run', '--silent', check], { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    if (exitCode !== 0) return { check, output: `${stdout}${stderr}` }
    console.log(`npm run ${check} passed`)
  }
  return null
}

process.exit(await main())
