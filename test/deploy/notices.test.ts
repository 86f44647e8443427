import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { buildConsoleWhenStale } from '../../scripts/build-console.ts'
import { findShippedPackages, renderNotices, type ShippedPackage } from '../../scripts/release/notices.ts'
import { makeSbom } from '../../scripts/release/sbom.ts'
import { ROOT } from './support/deploy-files.ts'

/** Names of packages that the sources import, as they are called in node_modules. */
function findImportedPackages(): Set<string> {
  const imported = /^(?:import (?!type)[^'\n]*|\} from )'([^.'][^']*)'/gm
  const names = [...new Bun.Glob('{src,console}/**/*.{ts,tsx}').scanSync(ROOT)]
    // The pages for connecting hold examples of other people's clients.
    .filter((path) => !/\.test\.|\/(testing|dist|connect)\//.test(path))
    .flatMap((path) => [...readFileSync(join(ROOT, path), 'utf8').matchAll(imported)])
    .map(([, name = '']) => name)
    .filter((name) => !isBuiltin(name) && !/^bun(:|$)/.test(name))
  return new Set(names.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name))
}

function realNameOf(name: string): string {
  return JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')).name
}

let shipped: ShippedPackage[]
beforeAll(async () => {
  await buildConsoleWhenStale()
  shipped = await findShippedPackages()
}, 300_000)

test('notices and contents list name every package that is in a release', async () => {
  const noticed = new Set([...renderNotices(shipped).matchAll(/^## (\S+) \S+$/gm)].map(([, name]) => name))
  const { components, metadata } = JSON.parse(await makeSbom(shipped))
  const listed = new Set(components.map(({ name }: { name: string }) => name))
  const imported = [...findImportedPackages()].map(realNameOf)
  expect(imported.length).toBeGreaterThan(30)
  for (const name of [...imported, 'bun', '@fastify/swagger-ui']) {
    expect(noticed).toContain(name)
    expect(listed).toContain(name)
  }
  expect(metadata.component).toMatchObject({ name: 'turnpike', type: 'application' })
  expect(components).toHaveLength(shipped.length)
  // Development tools are in neither.
  for (const name of ['typescript', 'playwright-core']) {
    expect(noticed).not.toContain(name)
    expect(listed).not.toContain(name)
  }
})

test('all but these packages carry the text of their licence', () => {
  const without = shipped.filter(({ texts }) => texts.length === 0)
  // Their package.json names the licence; their authors put the text into the repository only.
  expect(without.map(({ name }) => name)).toEqual(['bun', 'react-remove-scroll-bar'])
})
