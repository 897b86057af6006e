const AUTOMATION_TABS = ['integrations', 'triggers', 'schedules', 'code-hosts'] as const
type AnyTab = (typeof AUTOMATION_TABS)[number]
/** What has pages of its own. */
export type AutomationTab = Exclude<AnyTab, 'code-hosts'>

export interface AutomationsSearch {
  /** Default: integrations. */
  readonly tab?: AnyTab
}

export function readAutomationsSearch(search: Record<string, unknown>): AutomationsSearch {
  const tab = readAutomationTab(search['tab'])
  return tab === undefined || tab === 'integrations' ? {} : { tab }
}

export function readAutomationTab(value: unknown): AnyTab | undefined {
  return AUTOMATION_TABS.find((tab) => tab === value)
}
