import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'

/** Images would tell their host who is reading. Links show their target and send no referrer. */
const COMPONENTS: Components = {
  img: ({ alt, src }) => <span className="text-muted">[picture: {alt === '' ? src : alt}]</span>,
  a: ({ href, children }) => (
    <a
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent-text underline"
    >
      {children}
    </a>
  ),
  pre: ({ children }) => (
    <pre tabIndex={0} className="my-2 overflow-x-auto rounded-md border border-line bg-raised p-3 text-xs">
      {children}
    </pre>
  ),
  table: ({ children }) => (
    <div className="my-2 overflow-x-auto" tabIndex={0}>
      <table className="text-sm [&_td]:border [&_td]:border-line [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:border-line [&_th]:px-2 [&_th]:py-1">
        {children}
      </table>
    </div>
  ),
  h1: ({ children }) => <p className="mt-3 mb-1 text-base font-semibold">{children}</p>,
  h2: ({ children }) => <p className="mt-3 mb-1 text-base font-semibold">{children}</p>,
  h3: ({ children }) => <p className="mt-2 mb-1 font-semibold">{children}</p>,
  h4: ({ children }) => <p className="mt-2 mb-1 font-semibold">{children}</p>,
  p: ({ children }) => <p className="my-1.5 first:mt-0 last:mb-0">{children}</p>,
  ul: ({ children }) => <ul className="my-1.5 list-disc pl-5">{children}</ul>,
  ol: ({ children }) => <ol className="my-1.5 list-decimal pl-5">{children}</ol>,
  blockquote: ({ children }) => (
    <blockquote className="my-2 border-l-4 border-line pl-3 text-muted">{children}</blockquote>
  ),
}

const PLUGINS = [remarkGfm]

/** Never interprets text as HTML: raw HTML stays text, and only safe protocols become links. */
export default function MarkdownBody({ text }: { readonly text: string }) {
  return (
    <div className="min-w-0 text-sm leading-relaxed break-words">
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  )
}
