import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { ROOT, readRootFile, settingsOf } from './support/deploy-files.ts'

const DOCKERFILE = readRootFile('Dockerfile')
const instructions = DockerfileParser.parse(DOCKERFILE)
  .getInstructions()
  .map((each) => ({ keyword: each.getKeyword(), text: each.getArgumentsContent() ?? '' }))
const lastStage = instructions.slice(instructions.findLastIndex(({ keyword }) => keyword === 'FROM'))
const inLastStage = (keyword: string) =>
  lastStage.filter((each) => each.keyword === keyword).map(({ text }) => text)

describe('the Dockerfile', () => {
  test('passes the linter', () => {
    expect(validate(DOCKERFILE).map(({ message }) => message)).toEqual([])
  })

  test('fails the linter when it is wrong', () => {
    const wrong = DOCKERFILE.replace('EXPOSE 8080', 'EXPOSE http')
    expect(validate(wrong)).toHaveLength(1)
  })

  test('names its images by an exact tag', () => {
    const images = instructions.filter(({ keyword, text }) => keyword === 'ARG' && text.includes('_IMAGE='))
    expect(images).toHaveLength(2)
    for (const { text } of images) expect(text).toMatch(/^\w+_IMAGE=[a-z]+:\d+\.\d+(\.\d+)?-[a-z-]*slim$/)
  })

  test('runs as an unprivileged user and receives signals directly', () => {
    expect(inLastStage('USER')).toEqual(['65532:65532'])
    expect(inLastStage('STOPSIGNAL')).toEqual(['SIGTERM'])
    for (const keyword of ['ENTRYPOINT', 'CMD']) expect(inLastStage(keyword)[0]).toStartWith('["')
  })

  test('checks health with an existing command', async () => {
    expect(inLastStage('HEALTHCHECK')[0]).toEndWith('CMD ["turnpike", "health"]')
    expect(existsSync(join(ROOT, 'src/cli/commands/health.ts'))).toBe(true)
  })

  test('sets valid variables, and puts the data on the volume', () => {
    const variables = (inLastStage('ENV')[0] ?? '').split(' ').map((each) => each.split('='))
    const { hostname, port, dataFolder } = settingsOf(Object.fromEntries(variables))
    expect({ hostname, port, dataFolder }).toEqual({ hostname: '0.0.0.0', port: 8080, dataFolder: '/data' })
    expect([inLastStage('VOLUME'), inLastStage('EXPOSE')]).toEqual([['["/data"]'], ['8080']])
  })
})

test('sends only needed files to the build', () => {
  const lines = readRootFile('.dockerignore').split('\n')
  expect(lines.find((line) => line !== '' && !line.startsWith('#'))).toBe('*')
  const wanted = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  for (const path of wanted) expect(existsSync(join(ROOT, path))).toBe(true)
  const imported = /from '(\.\.\/[\w./-]+)/g
  const used = ['scripts/build-console.ts', ...new Bun.Glob('scripts/release/*.ts').scanSync(ROOT)]
    .flatMap((path) => [...readRootFile(path).matchAll(imported)].map(([, to = '']) => join(path, '..', to)))
    .map((path) => path.split('/')[0] ?? '')
  for (const name of used) expect(wanted).toContain(name)
})
