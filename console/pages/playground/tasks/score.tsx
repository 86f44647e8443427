const SMALLEST = 0.001

/** A number from 0 to 1 with a bar. */
export function Score({ value }: { readonly value: number }) {
  const percent = Math.min(100, Math.max(0, value * 100))
  return (
    <span className="score">
      <span className="score-track" aria-hidden>
        <span className="score-bar" style={{ width: `${percent}%` }} />
      </span>
      <span className="numeral">{value > 0 && value < SMALLEST ? `<${SMALLEST}` : value.toFixed(3)}</span>
    </span>
  )
}
