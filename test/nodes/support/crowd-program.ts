/**
 * Sends many requests at once and prints the results. A separate process, since a test's process keeps
 * the number of requests under way low.
 */
interface Errand {
  readonly urls: readonly string[]
  readonly key: string
  readonly count: number
  readonly body: unknown
  /** Asked for when all but this many requests have ended. */
  readonly release?: { readonly url: string; readonly holders: number }
}

const errand: Errand = JSON.parse(process.argv[2] ?? '')
const body = JSON.stringify(errand.body)

async function ask(index: number): Promise<string> {
  const url = errand.urls[index % errand.urls.length]
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${errand.key}`, 'content-type': 'application/json' },
      body,
    })
    const text = await response.text()
    return response.ok ? '200' : `${response.status} ${JSON.parse(text).error.code}`
  } catch (error) {
    return String(error)
  }
}

// Ends even when something goes wrong.
const PATIENCE_MS = 100_000
let pending = errand.count
const { release } = errand
const timer = setTimeout(() => release && fetch(release.url), PATIENCE_MS)
const outcomes = await Promise.all(
  Array.from({ length: errand.count }, async (_, index) => {
    const outcome = await ask(index)
    pending -= 1
    if (pending === release?.holders) await fetch(`${release.url}?holders=${release.holders}`)
    return outcome
  }),
)
clearTimeout(timer)
const tally: Record<string, number> = {}
for (const outcome of outcomes) tally[outcome] = (tally[outcome] ?? 0) + 1
console.log(JSON.stringify(tally))

export {}
