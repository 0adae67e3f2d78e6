import { Anchor, Button, Stack, Text, type AnchorProps, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import classes from './parts.module.css'

type PlainAnchor = Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>
type PlainButton = Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

/** A link to a page of the console: `<LinkTo to="/hotels/$hotelId" params={{ hotelId: '7' }}>`. */
export const LinkTo = createLink((props: AnchorProps & PlainAnchor) => (
  // By default the size of the surrounding text.
  <Anchor inherit={props.size === undefined} {...props} />
))

/** A link that looks like a button. */
export const ButtonTo = createLink((props: ButtonProps & PlainButton) => <Button component="a" {...props} />)

export function ReservationLink({
  id,
  children,
  ...props
}: AnchorProps & { id: string | number; children: ReactNode }) {
  return (
    <LinkTo to="/reservations/$reservationId" params={{ reservationId: String(id) }} {...props}>
      {children}
    </LinkTo>
  )
}

/** A table's cell: the hotel, as a link to its page, and its supplier. */
export function HotelCell({
  hotelId,
  hotelName,
  supplier,
}: {
  hotelId: number
  hotelName: string
  supplier: string
}) {
  return (
    <Stack gap={0} className={classes['hotelCell']}>
      <LinkTo fz="sm" to="/hotels/$hotelId" params={{ hotelId: String(hotelId) }}>
        {hotelName}
      </LinkTo>
      <Text size="xs" c="dimmed">
        {supplier}
      </Text>
    </Stack>
  )
}
