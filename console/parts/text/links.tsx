import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

type Native = Omit<ComponentProps<'a'>, keyof AnchorProps | keyof ButtonProps>

/** A text link to another page of the console. */
export const TextLink = createLink((props: AnchorProps & Native) => <Anchor {...props} />)

/** A button link to another page of the console. */
export const ButtonLink = createLink((props: ButtonProps & Native) => <Button component="a" {...props} />)
