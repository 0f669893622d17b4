package chart

// colours and dashes are how many of either [CSS] has.
const (
	colours = 8
	dashes  = 5
)

// CSS styles charts, tables and pages. A page holds it once. The colours are those of Okabe and Ito ("Color Universal
// Design", 2008), made lighter in the dark; a page may set the properties anew.
const CSS = `:root{color-scheme:light dark;--chart-page:#fff;--chart-text:#1b1b1b;--chart-muted:#595959;--chart-grid:#dcdcdc;--chart-rule:#c4c4c4;
--chart-0:#0072b2;--chart-1:#e69f00;--chart-2:#009e73;--chart-3:#cc79a7;--chart-4:#56b4e9;--chart-5:#d55e00;--chart-6:#7a7a7a;--chart-7:#b8a800}
@media screen and (prefers-color-scheme:dark){:root{--chart-page:#14171a;--chart-text:#e6e6e6;--chart-muted:#a6a6a6;--chart-grid:#33383d;--chart-rule:#4a5057;
--chart-0:#4ba3dc;--chart-1:#e69f00;--chart-2:#1fb88c;--chart-3:#d993bb;--chart-4:#8fd0f5;--chart-5:#e8762b;--chart-6:#9a9a9a;--chart-7:#f0e442}}
body{margin:0 auto;padding:1rem;max-width:72rem;background:var(--chart-page);color:var(--chart-text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0}h2{font-size:1.2rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--chart-rule);padding-bottom:.2rem}
p{max-width:46rem;margin:.5rem 0}a{color:inherit}nav a{margin-right:1rem}code{font-size:.92em}
.lead,.note,.foot{color:var(--chart-muted)}.note,.foot{font-size:.85rem}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem 2rem;align-items:start}
.scroll{overflow-x:auto;margin:.5rem 0}.scroll:focus-visible{outline:2px solid var(--chart-0)}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.2rem 0;white-space:nowrap}
th,td{padding:.2rem .7rem .2rem 0;border-bottom:1px solid var(--chart-grid);text-align:left;vertical-align:top}
th{border-bottom-color:var(--chart-rule)}th[scope=rowgroup]{font-weight:500;font-style:italic;padding-top:.6rem}th.n,td.n{text-align:right;white-space:nowrap}th.k,td.k{white-space:nowrap}
@media screen and (max-width:30rem){table{font-size:.8rem}th,td{padding-right:.45rem}th.k,td.k{white-space:normal}}
figure.chart{margin:.5rem 0 1rem;max-width:38rem;break-inside:avoid}
figure.chart figcaption{font-weight:600;margin-bottom:.4rem}
figure.chart svg{display:block;width:100%;height:auto;overflow:visible}
figure.chart text{font-size:13px;fill:var(--chart-text)}
figure.chart text.tick,figure.chart text.muted{fill:var(--chart-muted)}
figure.chart text.value{font-variant-numeric:tabular-nums}
figure.chart text.point{paint-order:stroke;stroke:var(--chart-page);stroke-width:3px}
figure.chart line.grid{stroke:var(--chart-grid)}figure.chart line.axis{stroke:var(--chart-muted)}
figure.chart line.whisker{stroke:var(--chart-text);stroke-width:1.4}figure.chart line.halo{stroke:var(--chart-page);stroke-width:3.4}
figure.chart line.leader{stroke:var(--chart-muted);stroke-width:.7}figure.chart line.mark{stroke:var(--chart-text);stroke-dasharray:4 3}
figure.chart .hatch{stroke:var(--chart-page);stroke-width:1.5;fill:none}figure.chart .dot{fill:var(--chart-page)}
figure.chart .line{fill:none;stroke-width:2;stroke:var(--c)}figure.chart line.error{stroke:var(--c)}
figure.chart .marker{fill:var(--c);stroke:var(--chart-page);stroke-width:1}
figure.chart rect{fill:var(--c)}figure.chart rect.bar{stroke:var(--c);stroke-width:.8}
figure.chart .s0{--c:var(--chart-0)}figure.chart .s1{--c:var(--chart-1)}figure.chart .s2{--c:var(--chart-2)}figure.chart .s3{--c:var(--chart-3)}
figure.chart .s4{--c:var(--chart-4)}figure.chart .s5{--c:var(--chart-5)}figure.chart .s6{--c:var(--chart-6)}figure.chart .s7{--c:var(--chart-7)}
figure.chart .d1{stroke-dasharray:7 3}figure.chart .d2{stroke-dasharray:2 2}figure.chart .d3{stroke-dasharray:9 3 2 3}figure.chart .d4{stroke-dasharray:4 4}
@media print{body{max-width:none;padding:0;font-size:11pt}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}h2{break-after:avoid}tr{break-inside:avoid}tr:has(th[scope=rowgroup]){break-after:avoid}.scroll{overflow:visible}.grid{display:block}figure.chart{max-width:27rem}nav{display:none}}
`
