"""Makes the models and predictions in this folder: XGBoost 1.7.4 (python3-xgboost of Debian bookworm)."""
import xgboost as xgb, numpy as np, json, sys
out=sys.argv[1]  # The folder to write to.
rng=np.random.default_rng(7)
X=rng.normal(size=(600,5)).astype(np.float32); X[:,2]=np.round(X[:,2]*2)/2; X[:,4]=np.abs(np.round(X[:,4]))
y=((X[:,0]*X[:,1]>0).astype(int)+(X[:,2]>0.5).astype(int))
d=xgb.DMatrix(X,label=y,feature_names=['bm25','lsa','ldi','title','age'],nthread=1); d.set_group([20]*30)
b=xgb.train({'objective':'rank:ndcg','max_depth':4,'eta':.3,'nthread':1,'seed':1,'base_score':0.25},d,12)
b.save_model(out+'/ranked.json')
p=b.predict(d,output_margin=True)
def rows(name,X,p,n):
    open(out+'/'+name,'w').write(''.join(' '.join(repr(float(v)) for v in x)+' '+repr(float(s))+'\n' for x,s in list(zip(X,p))[:n]))
rows('ranked.txt',X,p,80)
d2=xgb.DMatrix(X,label=(y>0).astype(int),nthread=1)
b2=xgb.train({'booster':'dart','rate_drop':.3,'objective':'binary:logistic','max_depth':3,'base_score':.3,'nthread':1,'seed':2},d2,6)
b2.save_model(out+'/dart.json'); rows('dart.txt',X,b2.predict(d2,output_margin=True),80)
