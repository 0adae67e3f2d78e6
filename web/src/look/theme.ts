import {
  createTheme,
  type CSSVariablesResolver,
  DEFAULT_THEME,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core'
import i18next from 'i18next'
import { storageName } from '../address.ts'

/** Cool greys in light and dark, for people who read tables of figures all day. */
const gray: MantineColorsTuple = [
  '#f8f9fb',
  '#f1f3f6',
  '#e7eaef',
  '#dadee5',
  '#c4cad4',
  '#98a1b0',
  '#6b7484',
  '#4a5261',
  '#323846',
  '#1c212b',
]
const dark: MantineColorsTuple = [
  '#e4e7ec',
  '#c2c8d2',
  '#a0a8b5',
  '#6d7684',
  '#363d49',
  '#2a303a',
  '#20252e',
  '#171b22',
  '#11141a',
  '#0c0e13',
]

export const schemeManager = localStorageColorSchemeManager({ key: storageName('scheme') })

export const theme = createTheme({
  colors: { gray, dark },
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily:
    '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.875rem' } },
  },
  components: {
    Button: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    TextInput: { defaultProps: { size: 'xs' } },
    PasswordInput: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs', withScrollArea: false } },
    NativeSelect: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    Switch: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm', fz: 'sm' } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.4 },
        // Its <header> would be a second banner of the page.
        attributes: { header: { role: 'none' } },
      },
    },
    Menu: {
      defaultProps: {
        // It would be an element in the menu that is none of its items.
        withInitialFocusPlaceholder: false,
        // A menu is no higher than the window leaves room for: it scrolls.
        middlewares: { size: true },
      },
    },
    // Texts are started after this file is read.
    Notification: { defaultProps: () => ({ closeButtonProps: { 'aria-label': i18next.t('parts.close') } }) },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
  },
})

const darker: Readonly<Record<string, string>> = { yellow: '#8a4600', orange: '#9c3a00', lime: '#3d6b0a' }

/** The theme's text colours have too little contrast on its backgrounds; these all reach 4.5 to 1. */
export const themeVariables: CSSVariablesResolver = ({ colors }) => {
  const light: Record<string, string> = {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': gray[9],
    '--mantine-color-dimmed': '#596273',
    '--mantine-color-placeholder': '#687182',
    '--mantine-color-anchor': DEFAULT_THEME.colors.indigo[8],
    '--mantine-color-error': DEFAULT_THEME.colors.red[9],
    '--mantine-color-default-border': gray[3],
    '--console-surface': gray[0],
    '--console-line': gray[2],
    '--console-hover': gray[1],
    '--console-chosen': gray[2],
  }
  const night: Record<string, string> = {
    '--mantine-color-body': dark[7],
    '--mantine-color-text': dark[0],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': '#8f98a6',
    '--mantine-color-anchor': '#a5b8ff',
    '--mantine-color-error': '#ff9b9b',
    '--mantine-color-default-border': dark[4],
    '--console-surface': dark[8],
    '--console-line': dark[5],
    '--console-hover': dark[6],
    '--console-chosen': dark[5],
  }
  for (const [name, shades] of Object.entries(colors)) {
    if (name === 'dark') continue
    const isGray = name === 'gray'
    // Only the darkest on the lightest reaches 4.5 to 1; the darkest yellow is not dark enough.
    light[`--mantine-color-${name}-light`] = isGray ? gray[1] : shades[0]
    light[`--mantine-color-${name}-light-hover`] = isGray ? gray[2] : shades[1]
    light[`--mantine-color-${name}-light-color`] = isGray ? gray[8] : (darker[name] ?? shades[9])
    night[`--mantine-color-${name}-light`] =
      `color-mix(in srgb, ${isGray ? dark[2] : shades[5]} 16%, transparent)`
    night[`--mantine-color-${name}-light-color`] = isGray ? dark[1] : shades[3]
    light[`--mantine-color-${name}-text`] = isGray ? gray[7] : (darker[name] ?? shades[9])
    night[`--mantine-color-${name}-text`] = isGray ? dark[1] : shades[4]
  }
  return { variables: {}, light, dark: night }
}

/** The page's policy allows only style elements with this nonce. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
}

/** For react-remove-scroll, which keeps the page from scrolling behind dialogs. */
export function shareStyleNonce(): void {
  Object.assign(globalThis, { __webpack_nonce__: styleNonce() })
}
