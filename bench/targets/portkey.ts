import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { awaitHttp, findFreePort } from '../process-group.ts'
import { CHAT_PATH, type Target, type TargetContext } from './target.ts'

const PACKAGE = '@portkey-ai/gateway@1.15.2'
const INSTALL_TIMEOUT_MS = 120_000

/** A peer written in TypeScript, on Node. Null when it cannot be installed here. */
export async function startPortkey({ processes, upstreamPort }: TargetContext): Promise<Target | null> {
  const program = installPortkey()
  const node = Bun.which('node')
  if (program === null || node === null) return null
  const port = await findFreePort()
  const started = processes.start({
    name: 'portkey',
    command: [node, program, `--port=${port}`, '--headless'],
    environment: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
  })
  await awaitHttp(started, `http://127.0.0.1:${port}/`)
  return {
    name: 'portkey',
    process: started,
    port,
    path: CHAT_PATH,
    headers: {
      authorization: 'Bearer bench',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
    },
  }
}

// Outside the repository and kept between runs: a peer is no dependency of ours.
function installPortkey(): string | null {
  const folder = join(tmpdir(), 'turnpike-bench-portkey')
  const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  console.log(`installing ${PACKAGE} into ${folder}`)
  const command = ['npm', 'install', '--no-save', '--ignore-scripts', '--prefix', folder, PACKAGE]
  const options = { cwd: folder, stdout: 'ignore', stderr: 'ignore', timeout: INSTALL_TIMEOUT_MS } as const
  const { success } = Bun.spawnSync(command, options)
  return success && existsSync(program) ? program : null
}
