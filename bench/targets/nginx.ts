import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { awaitStart, findFreePort } from '../process-group.ts'
import { CHAT_PATH, type Target, type TargetContext } from './target.ts'

/** A plain reverse proxy in C: the lowest cost to expect. Null when it is not installed. */
export async function startNginx({ processes, upstreamPort, folder }: TargetContext): Promise<Target | null> {
  const program = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })
  if (program === null) return null
  const home = join(folder, 'nginx')
  mkdirSync(home, { recursive: true })
  const port = await findFreePort()
  const configuration = join(home, 'nginx.conf')
  writeFileSync(configuration, renderConfiguration({ home, port, upstreamPort }))

  const started = processes.start({
    name: 'nginx',
    command: [program, '-p', home, '-e', 'stderr', '-c', configuration],
  })
  await awaitStart(started, () => fetch(`http://127.0.0.1:${port}/ready`).catch(() => null))
  return { name: 'nginx', process: started, port, path: CHAT_PATH, headers: {} }
}

function renderConfiguration(place: { home: string; port: number; upstreamPort: number }): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${place.home}/${kind};`,
  )
  // Its workers would otherwise give up root and lose the temporary folder.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `
${user}
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${place.home}/nginx.pid;
error_log stderr error;
events { worker_connections 10000; }
http {
${temporary.join('\n')}
  access_log off;
  keepalive_requests 1000000000;
  upstream supplier {
    server 127.0.0.1:${place.upstreamPort};
    keepalive 256;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${place.port} backlog=4096;
    location = /ready { return 200; }
    location / {
      proxy_pass http://supplier;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`
}
