import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../bench/process-group.ts'
import { makeFolder, removeFolder } from '../robustness/support/gateway-process.ts'
import { eventually } from '../support/eventually.ts'
import { ROOT } from './support/deploy-files.ts'
import { type SilentNodes, startSilentNodes } from './support/silent-nodes.ts'

const NGINX_FILE = join(ROOT, 'deploy/nginx/turnpike.conf')
const CADDY_FILE = join(ROOT, 'deploy/compose/Caddyfile')

interface Balancer {
  readonly name: string
  readonly program: string | null
  /** Writes what it needs into the folder, and says how it is run. */
  command(at: { folder: string; port: number; hosts: readonly string[] }): Promise<string[]>
}

const NGINX: Balancer = {
  name: 'nginx',
  program: Bun.which('nginx'),
  async command({ folder, port, hosts }) {
    const site = readFileSync(NGINX_FILE, 'utf8')
      .replace('10.0.0.11:8080', hosts[0] ?? '')
      .replace('10.0.0.12:8080', hosts[1] ?? '')
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
    for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name))
    const paths = ['client_body_temp_path body', 'proxy_temp_path proxy', 'fastcgi_temp_path fastcgi']
    paths.push('uwsgi_temp_path uwsgi', 'scgi_temp_path scgi', 'access_log off')
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off;\nmaster_process off;\npid nginx.pid;\nerror_log errors;\nevents {}\nhttp {\n${paths.join(';\n')};\n${site}}\n`,
    )
    return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'errors')]
  },
}

const CADDY: Balancer = {
  name: 'Caddy',
  program: Bun.which('caddy'),
  async command({ folder, port, hosts }) {
    const file = join(folder, 'Caddyfile')
    const text = readFileSync(CADDY_FILE, 'utf8')
      .replace('{$SITE_ADDRESS::8080}', `http://127.0.0.1:${port}`)
      .replace('{$GATEWAYS:gateway-1:8080 gateway-2:8080}', hosts.join(' '))
      .replace('{$HEALTH_ADDRESS:http://127.0.0.1:8081}', `http://127.0.0.1:${await findFreePort()}`)
    writeFileSync(file, text)
    return ['run', '--adapter', 'caddyfile', '--config', file]
  },
}

for (const balancer of [NGINX, CADDY]) {
  describe.skipIf(balancer.program === null)(`our configuration of ${balancer.name}`, () => {
    const folder = makeFolder()
    const url = { text: '' }
    let nodes: SilentNodes | null = null
    let child: Bun.Subprocess | null = null

    beforeAll(async () => {
      nodes = startSilentNodes()
      const port = await findFreePort()
      url.text = `http://127.0.0.1:${port}`
      const words = await balancer.command({ folder, port, hosts: nodes.hosts })
      const env = { HOME: folder, PATH: process.env.PATH ?? '' }
      child = Bun.spawn([balancer.program ?? '', ...words], { env, stdout: 'ignore', stderr: 'ignore' })
      await eventually('an answer through the balancer', () =>
        fetch(`${url.text}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
    }, 300_000)

    afterAll(async () => {
      child?.kill()
      await child?.exited
      nodes?.stop()
      removeFolder(folder)
    })

    test('never sends a POST to a second gateway, because the first may have charged it', async () => {
      const body = JSON.stringify({ model: 'gpt-5', messages: [] })
      const response = await fetch(`${url.text}/v1/chat/completions`, { method: 'POST', body })
      expect(response.status).toBe(502)
      expect(nodes?.received).toEqual(['POST'])
    }, 300_000)
  })
}

test('no example lets a proxy repeat requests that are not idempotent', async () => {
  const files = new Bun.Glob('{deploy,docs}/**/*.{conf,md,yaml}').scan({ cwd: ROOT })
  for await (const file of files) {
    for (const line of readFileSync(join(ROOT, file), 'utf8').split('\n')) {
      const isComment = line.trimStart().startsWith('#')
      if (isComment || !/next.upstream|retry-on|retry_on/.test(line)) continue
      expect([file, line]).toEqual([file, expect.not.stringMatching(/non_idempotent|http_5\d\d|retry-on 5/)])
    }
  }
})
