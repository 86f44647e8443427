/** One metric, in the text format of Prometheus. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly lines: readonly string[]
}

export function counters(name: string, help: string, lines: readonly string[]): Family {
  return { name, help, type: 'counter', lines }
}

export function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', lines: [`${name} ${value}`] }
}

export function renderFamily({ name, help, type, lines }: Family): string {
  if (lines.length === 0) return ''
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}

export function escapeLabel(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
