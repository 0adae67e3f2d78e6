import { Anchor, Button, Stack, Text, type AnchorProps, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { type ComponentPropsWithRef, type ReactNode, useContext } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './parts.module.css'
import { Session } from './session.tsx'

type PlainAnchor = Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>
type PlainButton = Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

/** A link to a page of the console: `<LinkTo to="/hotels/$hotelId" params={{ hotelId: '7' }}>`. */
export const LinkTo = createLink((props: AnchorProps & PlainAnchor) => (
  // By default the size of the surrounding text.
  <Anchor inherit={props.size === undefined} {...props} />
))

/** A link that looks like a button. */
export const ButtonTo = createLink((props: ButtonProps & PlainButton) => <Button component="a" {...props} />)

/** The way on from a page that isn't there: the overview, which for people of a supplier is their account. */
export function HomeButton(props: ButtonProps) {
  const { t } = useTranslation()
  const supplier = useContext(Session)?.supplier ?? null
  return (
    <ButtonTo to="/" {...props}>
      {t(supplier === null ? 'shell.toOverview' : 'shell.toAccount')}
    </ButtonTo>
  )
}

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

/** A table's first cell: the number alone below the header of its column, with a word as the title of a card. */
export function ReservationNumber({ id }: { id: number }) {
  const { t } = useTranslation()
  return (
    <ReservationLink id={id} fz="sm">
      <span className={classes['cardWord']}>{t('parts.reservation')} </span>
      {id}
    </ReservationLink>
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
