import { Component, type ReactNode } from 'react'

interface Props {
  readonly children: ReactNode
  readonly fallback: ReactNode
}

interface State {
  readonly isBroken: boolean
}

/** Shows a simple fallback for a part that failed to render, and keeps the rest of the page. */
export class FallbackBoundary extends Component<Props, State> {
  static getDerivedStateFromError(): State {
    return { isBroken: true }
  }

  override readonly state: State = { isBroken: false }

  override render(): ReactNode {
    return this.state.isBroken ? this.props.fallback : this.props.children
  }
}
