import { Breadcrumbs, Group, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './page.module.css'

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
        <Group justify="space-between" gap="sm" align="center">
          <Group gap="sm" align="center">
            <Title order={1} className={classes['title']}>
              {title}
            </Title>
            {beside}
          </Group>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {intro !== undefined && (
          <Text c="dimmed" size="sm" component="div">
            {intro}
          </Text>
        )}
      </header>
      {children}
    </>
  )
}
