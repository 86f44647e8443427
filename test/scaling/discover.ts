import { ANSWERS } from './answers.ts'
import { CONVERSATIONS } from './conversations.ts'
import { FORMATS, writeRequest } from './formats.ts'
import { measure } from './measure.ts'
import { answerWorks, encodeWorks, requestWorks } from './works.ts'

const items = Number(process.argv[2] ?? 2000)
const only = process.argv[3] ?? ''
const MAX = Number(process.argv[4] ?? 0)
let total = 0
function show(where: string, works: any[]) {
  for (const work of works) {
    const name = `${where} | ${work.name}`
    if (!name.includes(only)) continue
    const began = performance.now()
    try {
      const m = measure(work, items)
      const ms = performance.now() - began
      total += ms
      if (m.growth > 6.25 || m.largeMs > MAX) console.log(`${m.growth > 6.25 ? 'STEEP' : 'slow '} ${name} | ${m.smallMs.toFixed(1)} -> ${m.largeMs.toFixed(1)} | ${m.growth.toFixed(1)}`)
    } catch (error) {
      console.log(`BROKE ${name} | ${String((error as Error).stack).slice(0, 300)}`)
    }
  }
}
for (const format of FORMATS) {
  const f = format.protocol.name
  for (const [list, write] of Object.entries(CONVERSATIONS)) {
    show(`${f} | ${list}`, requestWorks(format, (n) => writeRequest(format, write(n))))
    show(`${f} | ${list}`, encodeWorks(format, write))
  }
  for (const [list, write] of Object.entries(format.own))
    show(`${f} | ${list}`, requestWorks(format, (n) => ({ ...writeRequest(format, {}), ...write(n) })))
  for (const [list, write] of Object.entries(ANSWERS)) show(`${f} | ${list}`, answerWorks(format, write))
}
console.log('total', total)
