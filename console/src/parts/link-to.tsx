import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type PlainAnchor = Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>
type PlainButton = Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

/** A link to a page of the console: `<LinkTo to="/hotels/$hotelId" params={{ hotelId: '7' }}>`. */
export const LinkTo = createLink((props: AnchorProps & PlainAnchor) => (
  // By default the size of the surrounding text.
  <Anchor inherit={props.size === undefined} {...props} />
))

/** A link that looks like a button. */
export const ButtonTo = createLink((props: ButtonProps & PlainButton) => <Button component="a" {...props} />)
