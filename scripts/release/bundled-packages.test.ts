import { expect, test } from 'bun:test'
import type { BuildOutput } from 'bun'
import { findBundledPackages } from './bundled-packages.ts'

test('names each package once, wherever it is', () => {
  const paths = [
    'src/main.ts',
    'node_modules/react/index.js',
    'node_modules/react/cjs/react.js',
    '../repo/node_modules/@mantine/core/esm/Box.mjs',
    'node_modules/a/node_modules/@b/c/d/e.js',
    'node_modules\\pino\\pino.js',
  ]
  const output = { metafile: { inputs: Object.fromEntries(paths.map((path) => [path, {}])) } }
  expect(findBundledPackages([output as unknown as BuildOutput])).toEqual([
    'node_modules/@mantine/core',
    'node_modules/a/node_modules/@b/c',
    'node_modules/pino',
    'node_modules/react',
  ])
})
