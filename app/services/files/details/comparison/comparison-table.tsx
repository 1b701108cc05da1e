import { memo, useEffect, useRef } from "react";
import { limitMarks } from "../../../../locales/visible-text";
import { TextBlocks } from "../../preview/text/text-blocks";
import { boundText } from "../../screen/bounded-text";
import { useLanguage } from "../../screen/language";
import type { Line } from "./compare-texts";
import type { ComparisonRow } from "./comparison-rows";

interface ComparisonTableProps {
  rows: readonly ComparisonRow[];
  /** as of `rowsOf` */
  layout: "split" | "unified";
  /** of the texts */
  direction: "ltr" | "rtl";
  /** the change that the person has stepped to, from 0 */
  current: number;
  /** @param block that is to show all its lines */
  onUnfold(block: number): void;
}

/** The lines of two texts with their numbers. What was removed and added is told by colour, sign and words for screen readers. */
export const ComparisonTable = memo(function ComparisonTable(props: ComparisonTableProps) {
  const { rows, layout, direction, current, onUnfold } = props;
  const { t } = useLanguage();
  const isSplit = layout === "split";
  const body = useRef<HTMLTableSectionElement>(null);
  const unfoldedAt = useRef<number | null>(null);
  // The button that had the focus is gone; its first line takes its place.
  useEffect(() => {
    if (unfoldedAt.current === null) return;
    (body.current?.rows[unfoldedAt.current] as HTMLElement | undefined)?.focus();
    unfoldedAt.current = null;
  });
  return (
    <table className={`comparison comparison--${layout}`}>
      {/* Otherwise the first row would decide the widths, which may be one wide cell. */}
      <colgroup>
        <col className="comparison__numbers" />
        {isSplit && <col />}
        <col className="comparison__numbers" />
        <col />
      </colgroup>
      <thead className="visually-hidden">
        <tr>
          {isSplit && <th scope="col">{t("comparison.line")}</th>}
          <th scope="col">{t("comparison.before")}</th>
          {isSplit && <th scope="col">{t("comparison.line")}</th>}
          <th scope="col">{t("comparison.after")}</th>
          {!isSplit && <th scope="col">{t("comparison.line")}</th>}
        </tr>
      </thead>
      <tbody ref={body}>
        {rows.map((row, index) => {
          if (row.kind === "fold") {
            return (
              <tr key={`fold ${row.block}`} className="comparison__fold">
                <td colSpan={isSplit ? 4 : 3}>
                  <button
                    type="button"
                    className="link-button"
                    onClick={() => {
                      unfoldedAt.current = index;
                      onUnfold(row.block);
                    }}
                  >
                    {t("comparison.unchanged", { count: row.count })}
                  </button>
                </td>
              </tr>
            );
          }
          if (row.kind === "same") {
            return (
              <tr key={`${row.before} ${row.after}`} tabIndex={-1}>
                <NumberCell number={row.before} />
                {isSplit && (
                  <td dir={direction}>
                    <WholeLine text={row.text} />
                  </td>
                )}
                <NumberCell number={row.after} />
                <td dir={direction}>
                  <WholeLine text={row.text} />
                </td>
              </tr>
            );
          }
          const { before, after, change, isFirst } = row;
          const kind = before ? "removed" : "added";
          return (
            <tr
              key={`${before?.number ?? ""} ${after?.number ?? ""}`}
              className={change === current ? "comparison__current" : undefined}
              {...(isFirst && { "data-change": change, tabIndex: -1 })}
            >
              {isSplit ? (
                <>
                  <NumberCell number={before?.number} kind="removed" />
                  <LineCell line={before} kind="removed" direction={direction} />
                  <NumberCell number={after?.number} kind="added" />
                  <LineCell line={after} kind="added" direction={direction} />
                </>
              ) : (
                <>
                  <NumberCell number={before?.number} kind={kind} isFilled />
                  <NumberCell number={after?.number} kind={kind} isFilled />
                  <LineCell line={before ?? after} kind={kind} direction={direction} />
                </>
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
});

type Kind = "removed" | "added";

interface NumberCellProps {
  /** undefined where the text has no such line */
  number: number | undefined;
  kind?: Kind;
  /** coloured also without a number */
  isFilled?: boolean;
}

function NumberCell({ number, kind, isFilled = false }: NumberCellProps) {
  const { formats } = useLanguage();
  const colour = kind && (number !== undefined || isFilled) ? ` comparison__${kind}` : "";
  return <td className={`comparison__number${colour}`}>{number !== undefined && formats.number(number)}</td>;
}

interface LineCellProps {
  line: Line | null;
  kind: Kind;
  direction: "ltr" | "rtl";
}

function LineCell({ line, kind, direction }: LineCellProps) {
  const { t } = useLanguage();
  if (!line) return <td className="comparison__nothing" />;
  const Changed = kind === "removed" ? "del" : "ins";
  return (
    <td className={`comparison__line comparison__${kind}`} dir={direction}>
      <span className="visually-hidden">{t(`comparison.${kind}`)} </span>
      {line.pieces.map(({ text, isChanged }, index) =>
        isChanged ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never change their places
          <Changed key={index}>{limitMarks(text)}</Changed>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never change their places
          <span key={index}>
            <WholeLine text={text} />
          </span>
        ),
      )}
    </td>
  );
}

/** Lines in which words are compared are short, others can have any length. */
function WholeLine({ text }: { text: string }) {
  return <TextBlocks text={boundText(text).text} />;
}
