/**
 * About how many characters a JSON value takes when written: its texts and names, and two marks for each.
 * It walks instead of recursing or writing the value out: a body may nest deeper than the stack.
 */
export function measureText(value: unknown): number {
  let characters = 0
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string') characters += next.length + 2
    else if (Array.isArray(next)) {
      characters += 2
      for (const item of next) waiting.push(item)
    } else if (typeof next === 'object' && next !== null) {
      characters += 2
      for (const [name, member] of Object.entries(next)) {
        characters += name.length + 4
        waiting.push(member)
      }
    } else characters += String(next).length
  }
  return characters
}
