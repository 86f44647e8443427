import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { buildPackage } from '../../scripts/release/package.ts'
import { rehearseGateway } from '../../scripts/release/rehearsal.ts'
import { ROOT, readRootFile } from './support/deploy-files.ts'

/** The package as npm would install it: what is packed, and the runtime beside it. */
let folder: string
let launcher: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-package-'))
  launcher = layOut('app/node_modules/turnpike')
  await buildPackage(join(folder, 'app/node_modules/turnpike/dist/package'))
  symlinkSync(join(ROOT, 'node_modules/bun'), join(folder, 'app/node_modules/bun'))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function layOut(place: string): string {
  mkdirSync(join(folder, place), { recursive: true })
  for (const name of ['bin', 'package.json'])
    cpSync(join(ROOT, name), join(folder, place, name), { recursive: true })
  return join(folder, place, packageFile.bin.turnpike)
}

async function run(program: string, ...args: string[]) {
  const child = Bun.spawn(['node', program, ...args], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { output, errors, exitCode }
}

describe('the npm package', () => {
  test('serves API, console and reference with Node, stops on SIGTERM, and passes its exit code on', async () => {
    const env = { PATH: process.env.PATH ?? '', TURNPIKE_DATA: join(folder, 'data') }
    const { steps } = await rehearseGateway({ command: ['node', launcher], folder, env, exitCode: 0 })
    expect(steps).toHaveLength(7)
    expect(await run(launcher, 'version')).toMatchObject({
      output: `turnpike ${packageFile.version}\n`,
      exitCode: 0,
    })
    expect(await run(launcher, 'unheard-of')).toMatchObject({ exitCode: 2 })
  })

  test('says what to do without its runtime, and while that is only a place holder', async () => {
    const advice = { exitCode: 1, errors: expect.stringContaining('npm install --include=optional turnpike') }
    const lonely = layOut('lonely')
    expect(await run(lonely)).toMatchObject(advice)
    const bun = join(folder, 'lonely/node_modules/bun')
    mkdirSync(join(bun, 'bin'), { recursive: true })
    writeFileSync(join(bun, 'package.json'), '{"name":"bun"}')
    writeFileSync(join(bun, 'bin/bun.exe'), 'echo "The install script was not run"')
    expect(await run(lonely)).toMatchObject(advice)
  })

  test('has the built console and the notices, and no machine of ours in any file', async () => {
    const built = join(folder, 'app/node_modules/turnpike/dist/package')
    const names = readdirSync(built, { recursive: true, encoding: 'utf8' })
    expect(names).toContain(join('shipped', 'console', 'manifest.json'))
    expect(names).toContain('THIRD_PARTY_NOTICES.md')
    for (const name of names.filter((each) => each.endsWith('.js')))
      expect(await Bun.file(join(built, name)).text()).not.toContain(ROOT)
  })

  test('has nothing else of the repository', async () => {
    const command = ['npm', 'pack', '--dry-run', '--json', '--ignore-scripts']
    const child = Bun.spawn(command, { cwd: ROOT, stdout: 'pipe', stderr: 'ignore' })
    const [packed] = JSON.parse(await new Response(child.stdout).text()) as { files: { path: string }[] }[]
    const others = packed?.files.map(({ path }) => path).filter((path) => !path.startsWith('dist/package/'))
    expect(others?.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin/turnpike.cjs',
      'package.json',
      'supply.example.yaml',
    ])
  })
})

test('no npm script needs a shell, which is another one on Windows', () => {
  for (const [name, script] of Object.entries(packageFile.scripts)) {
    expect([name, script]).toEqual([name, expect.stringMatching(/^[a-z]+( [\w./:=-]+)+$/)])
    expect([name, script]).toEqual([name, expect.not.stringMatching(/^\w+=/)])
  }
})

test('the launcher is plain JavaScript of old Node', () => {
  expect(readRootFile(packageFile.bin.turnpike)).toStartWith('#!/usr/bin/env node\n')
  expect(packageFile.bin.turnpike).toEndWith('.cjs')
})
