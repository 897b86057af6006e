const AUTOMATION_TABS = ['integrations', 'triggers', 'schedules'] as const
export type AutomationTab = (typeof AUTOMATION_TABS)[number]

export interface AutomationsSearch {
  /** Default: integrations. */
  readonly tab?: AutomationTab
}

export function readAutomationsSearch(search: Record<string, unknown>): AutomationsSearch {
  const tab = readAutomationTab(search['tab'])
  return tab === undefined || tab === 'integrations' ? {} : { tab }
}

export function readAutomationTab(value: unknown): AutomationTab | undefined {
  return AUTOMATION_TABS.find((tab) => tab === value)
}
