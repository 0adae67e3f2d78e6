import { randomUUID } from 'node:crypto'
import { generate } from 'otplib'
import type { Locator, Page } from 'playwright-core'
import type { TestGateway } from '../harness.ts'

/** Every dialog, menu and panel of the console. */

/** A button or menu item to click, a field to fill, or what else must be done. */
export type Step =
  | string
  | RegExp
  | { label: string; text: string }
  | ((page: Page) => Promise<Locator | void>)

export type Dialog = {
  name: string | RegExp
  role?: 'menu' | 'listbox' | 'region'
  /** The file in web/src that has it, without its ending; absent with further states of a dialog of the table. */
  source?: string
  path: string
  /** The first opens it, or what leads to it. */
  steps: readonly Step[]
  /** The only way to close it, where Escape must not. */
  closedBy?: string
  /** Whether another page follows when it is closed. */
  leadsOn?: true
}

const long = (count: number): string => 'W'.repeat(count)
const uniqueName: Step = async (page) => {
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: 'Name' })
    .fill(`${randomUUID()}-${long(60)}`)
}

/** What the stage has for them. */
export type StagedFor = {
  gateway: TestGateway
  supplierId: number
  apiKey: string
  /** Of the supplier, and one of a supplier that lacks steps to its first booking. */
  hotelId: number
  unfinishedHotelId: number
  /** An undoable one. */
  pushId: number
  failing: string
  late: string
  /** Names of somebody of the supplier, and of an operator with a second factor. */
  person: string
  colleague: string
}

/** Those that a manager of the supplier opens too. */
export function dialogsOfManagers(staged: StagedFor): Dialog[] {
  const { gateway, supplierId, person, hotelId, failing, late } = staged
  return [
    ...ofEverybody(gateway),
    ...ofAccounts(supplierId, person),
    ...ofCalendar(hotelId),
    ...ofReservations(failing, late),
  ]
}

/** The others, as an admin opens them. */
export function dialogsOfAdmins(staged: StagedFor): Dialog[] {
  const { supplierId, apiKey, hotelId, unfinishedHotelId, pushId, colleague } = staged
  return [
    ...ofOperators(hotelId, unfinishedHotelId, pushId),
    ...ofAdmins(supplierId, apiKey),
    ...ofColleagues(colleague),
  ]
}

function on(path: string, dialogs: readonly Omit<Dialog, 'path'>[]): Dialog[] {
  return dialogs.map((dialog) => ({ path, ...dialog }))
}

/** A list that a field opens. */
function listOf(name: string, source: string): Omit<Dialog, 'path'> {
  return { name, role: 'listbox', source, steps: [openList] }

  async function openList(page: Page): Promise<Locator> {
    const folded = page.getByRole('button', { name: 'Filters', expanded: false })
    if (await folded.isVisible()) await folded.click()
    const field = page.getByRole('combobox', { name, exact: true })
    await field.click()
    return field
  }
}

function ofEverybody({ clock }: TestGateway): Dialog[] {
  const name = /^(admin|operator)-/
  const menu: Step = async (page) => {
    const burger = page.getByRole('button', { name: 'Open menu' })
    if (await burger.isVisible()) await burger.click()
    const user = page.getByRole('button', { name })
    await user.click()
    return user
  }
  const source = 'pages/sign-in/second-factor'
  const begin = [menu, 'Second factor', 'Show QR code']
  const enterCode: Step = async (page) => {
    const secret = (await page.getByRole('dialog').locator('code').innerText()).replaceAll(' ', '')
    const code = await generate({ secret, epoch: Math.floor(clock.now() / 1_000) })
    await page.getByLabel('Code', { exact: true }).fill(code)
  }
  const view = { label: 'Save these filters as a view', text: long(60) }
  return [
    ...on('/pushes', [
      { name, role: 'menu', source: 'shell/user-menu', steps: [menu] },
      { name: 'Change my password', source: 'pages/sign-in/passwords', steps: [menu, 'Change my password'] },
      { name: 'Second factor', source, steps: begin },
      { name: 'Second factor', steps: [...begin, enterCode, 'Confirm'], closedBy: 'I have saved them' },
      { name: 'Second factor', steps: [menu, 'Second factor'] },
      {
        name: 'Remove the second factor',
        source,
        steps: [menu, 'Second factor', 'Remove the second factor'],
      },
    ]),
    ...on('/reservations', [
      { name: 'Views', source: 'parts/lists/saved-views', steps: ['Views', view, 'Save'] },
      listOf('Hotel', 'parts/lists/filters'),
    ]),
  ]
}

function ofAccounts(supplierId: number, person: string): Dialog[] {
  const keys = 'pages/suppliers/key-dialogs'
  return [
    ...on(`/suppliers/${supplierId}`, [
      { name: 'Create a key', source: 'pages/suppliers/new-key', steps: ['Create key'] },
      { name: /^Rotate key/, source: keys, steps: ['Rotate'] },
      {
        name: /^Key \d+ rotated/,
        source: 'pages/suppliers/new-key',
        steps: ['Rotate', 'Create new key'],
        closedBy: 'I have saved it',
      },
      { name: /^Revoke key/, source: keys, steps: ['Revoke'] },
      { name: 'Add a person of this supplier', steps: ['Add person'] },
      {
        name: /^Sign-in link for/,
        steps: ['Add person', uniqueName, 'Add person'],
        closedBy: 'I have copied it',
      },
      {
        name: `Disable ${person}?`,
        source: 'pages/suppliers/people-panel',
        steps: [`Disable ${person}`],
      },
    ]),
    ...on(`/sandbox?supplierId=${supplierId}`, [
      {
        name: 'Remove all hotels of this supplier?',
        source: 'pages/sandbox/clock-panel',
        steps: ['Remove all hotels…'],
      },
      { name: /^Call /, source: 'pages/sandbox/calls-panel', steps: [/^Show call/] },
      listOf('Hotel', 'pages/sandbox/stay-fields'),
    ]),
  ]
}

function ofCalendar(hotelId: number): Dialog[] {
  const night: Step = async (page) => {
    await page
      .getByRole('gridcell', { name: /^Sat, 24 Apr 2027/ })
      .last()
      .click()
    return page.getByRole('grid')
  }
  const day = { role: 'region', name: 'Sat, 24 Apr 2027' } as const
  const stay = { role: 'region', name: 'Is it bookable?' } as const
  return on(`/hotels/${hotelId}/calendar?from=2027-04-20`, [
    { ...day, source: 'pages/calendar/panels/cell-panel', steps: [night] },
    { ...stay, source: 'pages/calendar/panels/explain-panel', steps: [night, '3 nights'] },
  ])
}

function ofReservations(failing: string, late: string): Dialog[] {
  const source = 'pages/deliveries/send-again'
  const selectAll: Step = async (page) => {
    await page.getByLabel('Select all rows').check()
  }
  return [
    ...on(`/reservations/${failing}`, [
      { name: `Send reservation ${failing} again?`, source, steps: ['Send again'] },
    ]),
    ...on(`/reservations/${late}`, [
      { name: `Reservation ${late} is sent again`, source, steps: ['Send again', 'Send now'] },
    ]),
    ...on('/deliveries', [
      { name: /^Send \d+ reservations? again/, source, steps: ['Send all matching again…'] },
      { name: /^Send \d+ reservations? again/, source, steps: [selectAll, /^Send \d+ again/] },
    ]),
  ]
}

function ofOperators(hotelId: number, otherHotelId: number, pushId: number): Dialog[] {
  const holds = 'pages/holds/hold-dialogs'
  const note = { label: 'Note', text: long(500) }
  return [
    ...on('/', [
      { name: /^More for/, role: 'menu', source: 'pages/overview/work-actions', steps: [/^More for/] },
      {
        name: 'Note for other operators',
        source: 'pages/overview/work-actions',
        steps: [/^More for/, 'Note', note],
      },
    ]),
    ...on('/holds', [
      { name: /^Apply the held values of /, source: holds, steps: [/^Release:/] },
      { name: /^Discard the held values of /, source: holds, steps: [/^Discard:/] },
    ]),
    ...on('/stop-sells', [
      { name: /^Resume sales/, source: 'pages/stop-sells/resume-button', steps: [/^Resume sales:/] },
    ]),
    ...on(`/pushes/${pushId}`, [
      { name: 'Undo this push', source: 'pages/pushes/undo-dialog', steps: ['Undo…'] },
    ]),
    ...on(`/hotels/${hotelId}/calendar?from=2027-04-20`, [
      {
        name: 'Stop or resume sales',
        source: 'pages/calendar/panels/stop-sell-dialog',
        steps: ['Stop or resume sales'],
      },
    ]),
    ...on(`/hotels/${otherHotelId}`, [
      {
        name: 'Price check webhook is not needed',
        source: 'pages/hotels/unneeded-step',
        steps: ['Price check webhook is not needed…'],
      },
    ]),
  ]
}

function ofAdmins(supplierId: number, apiKey: string): Dialog[] {
  const keys = 'pages/suppliers/key-dialogs'
  const field = 'Hotel, supplier, reservation, request ID or key'
  const pasted = { label: field, text: `x-api-key: ${apiKey}` }
  const secret = { closedBy: 'I have saved it' }
  return [
    ...on('/', [
      { name: 'Search', source: 'shell/search-box', steps: ['Search', { label: field, text: 'sea' }] },
      { name: 'Search', steps: ['Search', { label: field, text: long(60) }] },
      { name: /^Key \d+ of/, source: 'shell/found-key', steps: ['Search', pasted, 'Look at this key'] },
      { name: /^Key \d+ of/, steps: ['Search', pasted, 'Look at this key', 'Revoke now'] },
    ]),
    ...on(`/suppliers/${supplierId}`, [
      { name: /^Rotate the signing secret/, steps: ['Rotate signing secret'] },
      { name: /^Signing secret of key/, steps: ['Rotate signing secret', 'Create new secret'], ...secret },
      { name: /^Limits of key/, source: keys, steps: ['Set limits'] },
      { name: /^Set the expiry/, source: keys, steps: ['Set expiry'] },
    ]),
    ...on('/suppliers', [
      { name: 'Create a supplier', source: 'pages/suppliers/create-supplier', steps: ['Create supplier'] },
      {
        name: 'Guard for new accounts',
        source: 'pages/suppliers/guard-form',
        steps: ['Guard for new accounts', 'Add a rule'],
      },
      {
        name: /is created, with this key$/,
        steps: ['Create supplier', uniqueName, 'Create'],
        ...secret,
        leadsOn: true,
      },
    ]),
    ...on('/reference', [
      { name: 'Add a room type', source: 'pages/reference/reference-page', steps: ['Add room type'] },
      { name: /^Retire /, source: 'pages/reference/retire-entry', steps: [/^Retire /] },
    ]),
    ...on('/sandbox', [listOf('Supplier', 'pages/sandbox/sandbox-page')]),
  ]
}

function ofColleagues(colleague: string): Dialog[] {
  const source = 'pages/operators/operator-dialogs'
  const menu = `Actions for ${colleague}`
  return [
    ...on('/operators', [
      { name: menu, role: 'menu', source: 'pages/operators/operators-page', steps: [menu] },
      { name: /^Change the role/, source, steps: [menu, 'Change role'] },
      { name: /^New sign-in link/, source, steps: [menu, 'New sign-in link'] },
      {
        name: /^Sign-in link for/,
        source,
        steps: [menu, 'New sign-in link', 'Create link'],
        closedBy: 'I have copied it',
      },
      { name: /^Reset the second factor/, source, steps: [menu, 'Reset second factor'] },
      { name: `Disable ${colleague}?`, source, steps: [menu, 'Disable'] },
      { name: 'Create an operator', source: 'pages/operators/account-form', steps: ['Create operator'] },
    ]),
    ...on('/audit', [{ name: /: /, source: 'pages/operators/audit-page', steps: [/^Show /] }]),
  ]
}
