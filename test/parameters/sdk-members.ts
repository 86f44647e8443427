import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGES = join(import.meta.dirname, '../../node_modules')
const MEMBER = /^\s*(?:readonly\s+)?(\w+)\??\s*:/
const COMMENTS = /\/\*[\s\S]*?\*\/|\/\/.*/g

/** The names of an interface's own members, as the declarations of a package list them. */
export function readMembers(file: string, name: string): string[] {
  const text = readFileSync(join(PACKAGES, file), 'utf8').replace(COMMENTS, '')
  const start = new RegExp(`\\binterface ${name}\\b[^{]*\\{`).exec(text)
  if (start === null) throw new Error(`${file} has no interface ${name}`)
  const names: string[] = []
  let depth = 1
  let statement = ''
  const note = () => {
    const found = MEMBER.exec(statement)?.[1]
    if (found !== undefined) names.push(found)
    statement = ''
  }
  for (const sign of text.slice(start.index + start[0].length)) {
    if (sign === '{') depth += 1
    else if (sign === '}') depth -= 1
    if (depth === 0) break
    if (depth === 1 && sign === ';') note()
    else statement += sign
  }
  return [...new Set(names)]
}
