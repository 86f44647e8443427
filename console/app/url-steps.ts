/** Values that open or turn something: the back button undoes these, and skips filters. */
const STEPS = new Set(['do', 'create', 'edit', 'open', 'add', 'route', 'compare', 'tab', 'mode', 'task'])
/** Of these, the default is a place like any other. */
const TURNS = new Set(['tab', 'mode', 'task'])

type Values = Readonly<Record<string, string | undefined>>

/** Whether the back button should undo a change. It does not open again what was closed. */
export function isStep(changed: Values, before: Values): boolean {
  return Object.entries(changed).some(
    ([name, value]) => STEPS.has(name) && value !== before[name] && (value !== undefined || TURNS.has(name)),
  )
}
