import { Breadcrumbs, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './parts.module.css'

/** A page's frame: breadcrumbs (links, outermost first), title, actions, and the content. */
export function Page({
  title,
  beside,
  intro,
  crumbs = [],
  actions,
  children,
}: {
  title: string
  /** After the title in the same line, for example a status. */
  beside?: ReactNode
  intro?: ReactNode
  crumbs?: readonly ReactNode[]
  actions?: ReactNode
  children?: ReactNode
}) {
  const { t } = useTranslation()
  useDocumentTitle(`${title} · ${t('shell.product')}`)
  return (
    <>
      <header className={classes['header']}>
        {crumbs.length > 0 && (
          <nav aria-label={t('parts.breadcrumbs')}>
            <Breadcrumbs className={classes['crumbs']} separatorMargin={6}>
              {crumbs.map((crumb, index) => (
                <span key={index}>{crumb}</span>
              ))}
            </Breadcrumbs>
          </nav>
        )}
        <div className={classes['head']}>
          <div className={classes['what']}>
            <Group gap="sm" align="center">
              <Title order={1} className={classes['title']}>
                {title}
              </Title>
              {beside}
            </Group>
            {intro !== undefined && (
              <Text c="dimmed" size="sm" component="div">
                {intro}
              </Text>
            )}
          </div>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </div>
      </header>
      {children}
    </>
  )
}

/** Placeholder while data is loading. */
export function PageWait({ lines = 6 }: { lines?: number }) {
  const { t } = useTranslation()
  return (
    <Stack gap="sm" role="status" aria-label={t('parts.loading')}>
      <Skeleton height={22} width={180} mb="xs" />
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={14} width={`${96 - ((line * 7) % 30)}%`} />
      ))}
    </Stack>
  )
}

/** A section of a page with its own heading. */
export function Section({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classes['section']}>
      <Title order={2} id={id}>
        {title}
      </Title>
      {hint !== undefined && <p className={classes['hint']}>{hint}</p>}
      {children}
    </section>
  )
}

/** Label and value pairs; those without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes['facts']}>
      {facts.map(([name, value]) =>
        value === undefined || value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
