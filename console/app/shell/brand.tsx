import { Text, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** The product name, linked to the overview. */
export function Brand() {
  return (
    <UnstyledButton
      renderRoot={(props) => <Link to="/overview" {...props} />}
      className="brand"
      aria-label="Turnpike, go to overview"
    >
      <BrandMark size={26} />
      <Text fw={680} visibleFrom="sm" span>
        Turnpike
      </Text>
    </UnstyledButton>
  )
}

export function BrandMark({ size }: { readonly size: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true" className="brand-mark">
      <rect width="32" height="32" rx="8" />
      <path d="M8.5 23.5v-15m0 2.5h15.5l-3.6 3.6L24 18.2H8.5" />
    </svg>
  )
}
