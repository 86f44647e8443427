import { describe, expect, test } from 'bun:test'
import { createHealthCommand } from './health.ts'

describe('turnpike health', () => {
  test('succeeds when the gateway is alive', async () => {
    using gateway = serve({ '/healthz': 200, '/readyz': 503 })
    const { status, printed } = await ask([], environmentOf(gateway))
    expect({ status, printed }).toEqual({ status: 0, printed: '/healthz says 200\n' })
  })

  test('checks readiness when asked to', async () => {
    using gateway = serve({ '/healthz': 200, '/readyz': 503 })
    const { status, complaints } = await ask(['--ready'], environmentOf(gateway))
    expect(status).toBe(1)
    expect(complaints).toContain('/readyz answers 503: /readyz says 503')
  })

  test('calls localhost when the gateway listens on every address', async () => {
    using gateway = serve({ '/healthz': 200 })
    expect((await ask([], { HOST: '0.0.0.0', PORT: String(gateway.port) })).status).toBe(0)
  })

  test('bypasses the proxy from the environment', async () => {
    using gateway = serve({ '/healthz': 200 })
    using proxy = serve({})
    const before = process.env.http_proxy
    process.env.http_proxy = String(proxy.url)
    try {
      expect((await ask([], environmentOf(gateway))).status).toBe(0)
    } finally {
      if (before === undefined) delete process.env.http_proxy
      else process.env.http_proxy = before
    }
  })

  test('says in one line that nothing answers', async () => {
    const gateway = serve({})
    const environment = environmentOf(gateway)
    await gateway.stop(true)
    const { status, complaints } = await ask([], environment)
    expect(status).toBe(1)
    expect(complaints).toMatch(/^turnpike: http:\/\/127\.0\.0\.1:\d+\/healthz does not answer \(\w+\)\n$/)
  })
})

function serve(statuses: Readonly<Record<string, number>>) {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      const status = statuses[pathname] ?? 502
      return new Response(`${pathname} says ${status}`, { status })
    },
  })
}

function environmentOf({ port }: { readonly port: number | undefined }) {
  return { HOST: '127.0.0.1', PORT: String(port) }
}

async function ask(args: readonly string[], environment: Record<string, string>) {
  let printed = ''
  let complaints = ''
  const status = await createHealthCommand(environment).run(args, {
    print: (text) => {
      printed += text
    },
    printError: (text) => {
      complaints += text
    },
    untilInterrupted: async () => {},
  })
  return { status, printed, complaints }
}
