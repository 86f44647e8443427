import { startFormServer } from './form-server.ts'

/** A separate process, so that only the server's memory is measured. Prints its URL and reports its peak memory. */
let peakBytes = 0
const look = () => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
}
setInterval(look, 5)

const server = startFormServer({
  folder: process.argv[2] ?? '',
  timeoutMs: 60_000,
  endpoints: [
    {
      method: 'GET',
      path: '/peak',
      handle: () => {
        look()
        return Response.json({ peakBytes })
      },
    },
  ],
})
console.log(server.url)
